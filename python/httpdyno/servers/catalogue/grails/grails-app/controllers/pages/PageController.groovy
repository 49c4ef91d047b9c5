package pages

import grails.config.Config
import grails.core.support.GrailsConfigurationAware

class PageController implements GrailsConfigurationAware {
    private File picture

    @Override
    void setConfiguration(Config config) {
        picture = new File(config.getProperty('files', String), 'file.png')
    }

    def pong() {
        render text: 'PONG', contentType: 'text/plain'
    }

    def hello() {
        render text: 'Hello, world!', contentType: 'text/plain'
    }

    def file() {
        render file: picture, contentType: 'image/png'
    }
}
