uniform sampler2DShadow shadow_map;

// How much of the sun reaches a point: `at` in the light's clip space, `slope` the sine of the angle to the light.
float lit(vec3 at, float slope) {
    at = 0.5 * at + 0.5;
    if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
    at.z -= 0.0004 + 0.0008 * slope;
    vec2 texel = 1.1 / vec2(textureSize(shadow_map, 0));  // four smooth looks on a turned square: soft and cheap
    return 0.25 * (texture(shadow_map, vec3(at.xy + texel * vec2(0.4, 1.0), at.z))
                 + texture(shadow_map, vec3(at.xy + texel * vec2(1.0, -0.4), at.z))
                 + texture(shadow_map, vec3(at.xy + texel * vec2(-0.4, -1.0), at.z))
                 + texture(shadow_map, vec3(at.xy + texel * vec2(-1.0, 0.4), at.z)));
}
