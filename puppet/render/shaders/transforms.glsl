// The transforms of all parts: position and rotation (or any linear map) row by row, twelve numbers in three texels.
uniform samplerBuffer transforms;

void place(in int transform, in vec3 point, in vec3 normal, out vec3 in_world, out vec3 normal_in_world) {
    vec4 a = texelFetch(transforms, 3 * transform), b = texelFetch(transforms, 3 * transform + 1), c = texelFetch(transforms, 3 * transform + 2);
    vec3 position = a.xyz;
    vec3 row0 = vec3(a.w, b.xy), row1 = vec3(b.zw, c.x), row2 = c.yzw;
    in_world = position + vec3(dot(row0, point), dot(row1, point), dot(row2, point));
    // Cofactors instead of the inverse transposed: right for stretched bones too.
    normal_in_world = vec3(dot(cross(row1, row2), normal), dot(cross(row2, row0), normal), dot(cross(row0, row1), normal));
}
