"""How pieces of kernels get at the elements of arrays, in a fifth of the instructions that numba would write.

For `a[i, k]` numba puts the whole of an array down in memory, with its shape and strides, and loads what it needs from
there: some fifty instructions, which LLVM reduces to the same few again. And whenever a variable gets another value, or
goes out of use, numba reads the old one, in case that somebody counts its users, and clears it.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering
from numba.cpython.slicing import fix_index
from numba.np.arrayobj import load_item, store_item


def holds_arrays(kind: Any) -> bool:
    """Whether values of a type are arrays, or have some in them."""
    return isinstance(kind, types.Array) or any(map(holds_arrays, getattr(kind, "types", ())))


class ElementLower(Lower):
    """Numba's own translation, but for elements, shapes and variables that nobody counts the users of."""

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        if not self._is_element(value, index) or resty != self.typeof(value.name).dtype:
            return super().lower_getitem(resty, expr, value, index, signature)
        return load_item(self.context, self.builder, self.typeof(value.name), self._address(value, index))

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        array, kind = self.typeof(target_var.name), self.typeof(value_var.name)
        if not self._is_element(target_var, index_var) or not isinstance(kind, (types.Number, types.Boolean)):
            return super().lower_setitem(target_var, index_var, value_var, signature)
        value = self.context.cast(self.builder, self.loadvar(value_var.name), kind, array.dtype)
        return store_item(self.context, self.builder, array, value, self._address(target_var, index_var))

    def lower_inst(self, inst: Any) -> Any:
        if isinstance(inst, ir.StaticSetItem) and self._is_array(inst.target) and inst.index_var is not None:
            return self.lower_setitem(inst.target, inst.index_var, inst.value, self.fndesc.calltypes[inst])
        return super().lower_inst(inst)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        if expr.op == "static_getitem" and self._is_array(expr.value) and expr.index_var is not None:
            return self.lower_getitem(resty, expr, expr.value, expr.index_var, self.fndesc.calltypes[expr])
        if expr.op == "getattr" and expr.attr == "shape" and self._is_array(expr.value):
            return self._field(expr.value, "shape")
        return super().lower_expr(resty, expr)

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        if argidx is not None or name in self._singly_assigned_vars or self._is_counted(name):
            super().storevar(value, name, argidx)
        else:
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        if self._is_counted(name):
            super().delvar(name)
        elif name not in self._blk_local_varmap:
            self._singly_assigned_vars.discard(name)  # it is used in another block, too

    def _is_counted(self, name: str) -> bool:
        """Whether somebody counts the users of an array that is in a variable: an iterator has one in it, too."""
        kind = self.context.data_model_manager[self.typeof(name)]
        return bool(self.context.enable_nrt and kind.contains_nrt_meminfo())

    def _is_array(self, variable: Any) -> bool:
        return isinstance(self.typeof(variable.name), types.Array)

    def _is_element(self, array: Any, index: Any) -> bool:
        """Whether a number is got at by integers, in an array whose rows follow one another."""
        kind, places = self.typeof(array.name), _each(self.typeof(index.name))
        if not self._is_array(array) or kind.layout != "C" or not kind.aligned or self.context.enable_boundscheck:
            return False
        whole = len(places) == kind.ndim and all(isinstance(place, types.Integer) for place in places)
        return whole and isinstance(kind.dtype, (types.Number, types.Boolean))

    def _field(self, array: Any, name: str) -> Any:
        """The shape of an array, or where its numbers are."""
        position = self.context.data_model_manager[self.typeof(array.name)].get_field_position(name)
        return self.builder.extract_value(self.loadvar(array.name), position)

    def _address(self, array: Any, index: Any) -> Any:
        """Where an element is: ((i * columns) + k) * layers + n; negative places count from the end."""
        builder, context, shape = self.builder, self.context, self._field(array, "shape")
        kind, value = self.typeof(index.name), self.loadvar(index.name)
        offset = None
        for n, place in enumerate(_each(kind)):
            if isinstance(place, types.Literal) and place.literal_value >= 0:
                at = context.get_constant(types.intp, place.literal_value)
            else:
                own = builder.extract_value(value, n) if isinstance(kind, types.BaseTuple) else value
                at = context.cast(builder, own, place, types.intp)
                if types.unliteral(place).signed:
                    at = fix_index(builder, at, builder.extract_value(shape, n))
            row = None if offset is None else builder.mul(offset, builder.extract_value(shape, n))
            offset = at if row is None else builder.add(row, at)
        return builder.gep(self._field(array, "data"), [offset])


def _each(index: Any) -> tuple[Any, ...]:
    """The types of the integers by which an element is got at, one or a tuple of some."""
    return tuple(getattr(index, "types", (index,)))


@register_pass(mutates_CFG=True, analysis_only=False)
class ElementLowering(BaseNativeLowering):
    """What numba calls lowering: from typed Python to LLVM's language."""

    _name: Any = "element_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return ElementLower
