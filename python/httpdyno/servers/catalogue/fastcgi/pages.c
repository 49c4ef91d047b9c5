/* A FastCGI program on libfcgi, whose fcgi_stdio.h turns printf into replies. What is asked for is in PATH_INFO. */
#include <fcgi_stdio.h>
#include <stdlib.h>
#include <string.h>

static void bigtable(void)
{
    printf("<table>");
    for (int row = 0; row < 1000; row++) {
        printf("<tr>");
        for (int column = 1; column <= 50; column++)
            printf("<td>%d</td>", column);
        printf("</tr>");
    }
    printf("</table>");
}

int main(void)
{
    while (FCGI_Accept() >= 0) {
        const char *page = getenv("PATH_INFO");

        if (page == NULL) {
            printf("Status: 404 Not Found\r\n\r\n");
        } else if (strcmp(page, "/pong") == 0) {
            printf("Content-Type: text/plain\r\n\r\nPONG");
        } else if (strcmp(page, "/hello") == 0) {
            printf("Content-Type: text/plain\r\n\r\nHello, world!");
        } else if (strcmp(page, "/bigtable") == 0) {
            printf("Content-Type: text/html\r\n\r\n");
            bigtable();
        } else {
            printf("Status: 404 Not Found\r\n\r\n");
        }
    }
    return 0;
}
