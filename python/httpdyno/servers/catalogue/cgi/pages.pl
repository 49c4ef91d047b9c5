# A CGI program: RFC 3875. What is asked for is in PATH_INFO.
use strict;
use warnings;

sub bigtable {
    print '<table>';
    for (1 .. 1000) {
        print '<tr>';
        print "<td>$_</td>" for 1 .. 50;
        print '</tr>';
    }
    print '</table>';
}

my $page = $ENV{PATH_INFO} // '';

if ( $page eq '/pong' ) {
    print "Content-Type: text/plain\r\n\r\nPONG";
}
elsif ( $page eq '/hello' ) {
    print "Content-Type: text/plain\r\n\r\nHello, world!";
}
elsif ( $page eq '/bigtable' ) {
    print "Content-Type: text/html\r\n\r\n";
    bigtable();
}
else {
    print "Status: 404 Not Found\r\n\r\n";
}
