layout(location = 0) in vec2 pixel;  // from the upper left corner of the picture
layout(location = 1) in vec2 texel;

uniform vec2 picture_size;

out vec2 at;

void main() {
    at = texel;
    gl_Position = vec4(2.0 * pixel.x / picture_size.x - 1.0, 1.0 - 2.0 * pixel.y / picture_size.y, 0.0, 1.0);
}
