vec3 background_at(float height) {
    return mix(vec3(0.80, 0.765, 0.715), vec3(0.925, 0.91, 0.885), smoothstep(0.0, 1.0, height));
}

vec3 to_screen(vec3 linear) {
    return pow(clamp(linear, 0.0, 1.0), vec3(1.0 / 2.2));
}
