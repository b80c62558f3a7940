in vec3 in_world;
in vec3 normal_in_world;
in vec4 in_shadow;
in vec4 paint;

uniform vec3 to_light;
uniform vec3 eye;

out vec4 color;

void main() {
    vec3 n = normalize(normal_in_world), v = normalize(eye - in_world);
    float toward = dot(n, to_light);
    float sun = toward > 0.0 ? toward * lit(in_shadow.xyz, sqrt(1.0 - min(toward * toward, 1.0))) : 0.0;
    vec3 sky = mix(vec3(0.34, 0.30, 0.275), vec3(0.55, 0.565, 0.59), 0.5 + 0.5 * n.y);
    vec3 albedo = paint.rgb * paint.rgb;  // near enough to the screen's curve, undone by to_screen
    vec3 light = sky + vec3(0.72, 0.685, 0.63) * sun;
    float gloss = sun > 0.0 ? 0.05 * pow(max(dot(n, normalize(to_light + v)), 0.0), 30.0) : 0.0;
    float edge = mix(0.70, 1.0, smoothstep(0.0, 0.5, dot(n, v)));  // a soft dark edge parts a finger from the next
    color = vec4(to_screen((albedo * light + gloss) * edge), paint.a);
}
