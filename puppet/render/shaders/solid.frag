in vec3 in_world;
in vec3 normal_in_world;
in vec4 in_shadow;
in vec4 paint;

uniform sampler2DShadow shadow_map;
uniform vec3 to_light;
uniform vec3 eye;
uniform float picture_height;
uniform bool catches_shadow;  // the floor: it is the background, only darker in the shadow

out vec4 color;

float lit(float slope) {
    vec3 at = in_shadow.xyz * 0.5 + 0.5;
    if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
    at.z -= 0.0006 + 0.0012 * slope;
    vec2 texel = 1.6 / vec2(textureSize(shadow_map, 0));
    float sum = 0.0;
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
            sum += texture(shadow_map, vec3(at.xy + texel * vec2(x, y), at.z));
    return sum / 9.0;
}

void main() {
    vec3 background = background_at(gl_FragCoord.y / picture_height);
    if (catches_shadow) {
        float far_away = smoothstep(0.9, 2.2, length(in_world.xz - vec2(0.0, 0.3)));
        color = vec4(to_screen(background * mix(mix(vec3(0.60, 0.58, 0.57), vec3(1.0), lit(0.0)), vec3(1.0), far_away)), 1.0);
        return;
    }
    vec3 n = normalize(normal_in_world), v = normalize(eye - in_world);
    float facing = abs(dot(n, v));
    n = dot(n, v) < 0.0 ? -n : n;  // the inside of a cup
    float toward = dot(n, to_light);
    float sun = max(toward, 0.0) * lit(sqrt(max(1.0 - toward * toward, 0.0)));
    vec3 sky = mix(vec3(0.30, 0.27, 0.25), vec3(0.52, 0.54, 0.57), 0.5 + 0.5 * n.y);
    vec3 albedo = pow(paint.rgb, vec3(2.2));
    vec3 light = sky + vec3(0.78, 0.74, 0.67) * sun;
    float gloss = pow(max(dot(n, normalize(to_light + v)), 0.0), 40.0) * 0.10 * step(0.001, sun);
    float outline = mix(0.72, 1.0, smoothstep(0.0, 0.45, facing));  // a soft dark edge parts a finger from the next
    color = vec4(to_screen((albedo * light + gloss) * outline), paint.a);
}
