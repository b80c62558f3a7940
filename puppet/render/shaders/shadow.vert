layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
layout(location = 3) in uint transform;

uniform mat4 to_shadow;

void main() {
    vec3 in_world, normal_in_world;
    place(int(transform), point, normal, in_world, normal_in_world);
    gl_Position = to_shadow * vec4(in_world, 1.0);
}
