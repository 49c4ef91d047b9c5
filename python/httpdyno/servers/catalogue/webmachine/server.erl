%% The workloads on Webmachine: a resource whose argument is the page that a route leads to.
-module(server).
-export([main/1, version/0]).
-export([init/1, content_types_provided/2, resource_exists/2, page/2]).

main([Host, Port, Files | Extra]) ->
    {ok, Address} = inet:parse_address(Host),
    Options = [
        {ip, Address},
        {port, list_to_integer(Port)},
        {max, 10000},
        {backlog, 4096},
        {nodelay, lists:member("nodelay", Extra)},
        {dispatch, routes(filename:join(Files, "file.png"))}
    ],
    {ok, _} = application:ensure_all_started(webmachine),
    %% MochiWeb links to whoever starts it and ends with it, silently: somebody has to stay.
    spawn(fun() ->
        {ok, _} = webmachine_mochiweb:start(Options),
        timer:sleep(infinity)
    end).

routes(File) ->
    Pages = [pong, hello, echo, bigtable, {file, File}, missing],
    [{path(Page), ?MODULE, Page} || Page <- Pages].

path({file, File}) -> [filename:basename(File)];
path(missing) -> ['*'];
path(Page) -> [atom_to_list(Page)].

init(Page) -> {ok, Page}.

resource_exists(Req, Page) -> {Page =/= missing, Req, Page}.

content_types_provided(Req, Page) -> {[{type(Page), page}], Req, Page}.

type({file, _}) -> "image/png";
type(echo) -> "text/xml";
type(bigtable) -> "text/html";
type(_) -> "text/plain".

page(Req, Page) -> {body(Page, Req), Req, Page}.

body(pong, _) -> "PONG";
body(hello, _) -> "Hello, world!";
body(echo, Req) -> echo(wrq:get_qs_value("value", Req));
body(bigtable, _) -> ["<table>", [row() || _ <- lists:seq(1, 1000)], "</table>"];
body({file, File}, _) ->
    {ok, Content} = file:read_file(File),
    Content.

echo(undefined) -> "<http_test><error>no value specified</error></http_test>";
echo(Value) -> ["<http_test><value>", mochiweb_html:escape(Value), "</value></http_test>"].

row() -> ["<tr>", [["<td>", integer_to_list(N), "</td>"] || N <- lists:seq(1, 50)], "</tr>"].

version() ->
    case application:load(webmachine) of
        ok ->
            {ok, Version} = application:get_key(webmachine, vsn),
            io:format("~s on Erlang/OTP ~s~n", [Version, erlang:system_info(otp_release)]),
            halt();
        {error, _} ->
            io:format("no webmachine/ebin/webmachine.app under ERL_LIBS ~s~n", [os:getenv("ERL_LIBS")]),
            halt(1)
    end.
