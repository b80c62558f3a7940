layout(location = 0) in vec3 pixel;  // from the upper left corner of the picture; depth from -1 to 1
layout(location = 1) in vec2 texel;

uniform vec2 picture_size;

out vec2 at;

void main() {
    at = texel;
    gl_Position = vec4(2.0 * pixel.x / picture_size.x - 1.0, 1.0 - 2.0 * pixel.y / picture_size.y, pixel.z, 1.0);
}
