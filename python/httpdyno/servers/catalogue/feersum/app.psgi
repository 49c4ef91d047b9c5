# The workloads as a PSGI application, with what Plack brings.
use strict;
use warnings;
use Plack::App::File;
use Plack::Builder;
use Plack::Request;
use Plack::Util;

sub page {
    my ($type, $body) = @_;
    return [200, ['Content-Type' => $type, 'Content-Length' => length $body], [$body]];
}

sub echo {
    my $value = Plack::Request->new(shift)->query_parameters->get('value');
    return page('text/xml', '<http_test><error>no value specified</error></http_test>')
        unless defined $value;
    return page('text/xml', '<http_test><value>' . Plack::Util::encode_html($value) . '</value></http_test>');
}

sub bigtable {
    my $table = '<table>';
    for (1 .. 1000) {
        $table .= '<tr>';
        $table .= "<td>$_</td>" for 1 .. 50;
        $table .= '</tr>';
    }
    return page('text/html', $table . '</table>');
}

my %pages = (
    '/pong'     => sub { page('text/plain', 'PONG') },
    '/hello'    => sub { page('text/plain', 'Hello, world!') },
    '/echo'     => \&echo,
    '/bigtable' => \&bigtable,
    '/file.png' => Plack::App::File->new(file => "$ENV{FILES}/file.png")->to_app,
);

my $app = sub {
    my $env = shift;
    my $page = $pages{$env->{PATH_INFO}} or return [404, ['Content-Length' => 0], []];
    return $page->($env);
};

builder { enable 'Head'; $app };
