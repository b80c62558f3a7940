// The floor is the background, only darker in the shadow: a studio without a horizon.
in vec3 in_world;
in vec4 in_shadow;

uniform float picture_height;
uniform vec3 middle;  // where the light falls
uniform float radius;

out vec4 color;

void main() {
    float away = smoothstep(0.55, 1.0, length(in_world.xz - middle.xz) / radius);
    vec3 shade = mix(vec3(0.66, 0.63, 0.61), vec3(1.0), max(lit(in_shadow.xyz, 0.0), away));
    color = vec4(to_screen(background_at(gl_FragCoord.y / picture_height) * shade), 1.0);
}
