package pages

class UrlMappings {
    static mappings = {
        '/pong'(controller: 'page', action: 'pong')
        '/hello'(controller: 'page', action: 'hello')
        '/file.png'(controller: 'page', action: 'file')
    }
}
