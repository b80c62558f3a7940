layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 color;
layout(location = 3) in uint transform;

uniform mat4 to_clip;
uniform mat4 to_shadow;
uniform float shadow_texel;  // its size in the world, and somewhat more

out vec3 in_world;
out vec3 normal_in_world;
out vec4 in_shadow;
out vec4 paint;

void main() {
    place(int(transform), point, normal, in_world, normal_in_world);
    normal_in_world = normalize(normal_in_world);
    in_shadow = to_shadow * vec4(in_world + shadow_texel * normal_in_world, 1.0);  // nothing shadows itself
    paint = color;
    gl_Position = to_clip * vec4(in_world, 1.0);
}
