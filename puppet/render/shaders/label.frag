in vec2 at;

uniform sampler2D texts;

out vec4 color;

void main() {
    color = texelFetch(texts, ivec2(at), 0);
}
