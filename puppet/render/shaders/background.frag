uniform float picture_height;

out vec4 color;

void main() {
    color = vec4(to_screen(background_at(gl_FragCoord.y / picture_height)), 1.0);
}
