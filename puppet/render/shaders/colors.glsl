vec3 background_at(float height) {
    return mix(vec3(0.77, 0.70, 0.62), vec3(0.93, 0.90, 0.85), smoothstep(0.0, 0.9, height));
}

vec3 to_screen(vec3 bright) {
    return sqrt(clamp(bright, 0.0, 1.0));
}
