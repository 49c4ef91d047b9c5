%% The workloads on an embedded yaws: an appmod for the pages; yaws itself sends the file.
-module(server).
-export([main/1, out/1, version/0]).
-include("yaws_api.hrl").

main([Host, Port, Files]) ->
    {ok, Address} = inet:parse_address(Host),
    Site = [
        {listen, Address},
        {port, list_to_integer(Port)},
        {servername, Host},
        {appmods, [{"/", ?MODULE, [["file.png"]]}]},
        {listen_opts, [{backlog, 4096}]},
        {flags, [{access_log, false}, {auth_log, false}]}
    ],
    ok = yaws:start_embedded(Files, Site, [{logdir, os:getenv("HOME")}], "httpdyno").

out(Arg) -> page(Arg#arg.server_path, Arg).

page("/pong", _) -> {content, "text/plain", "PONG"};
page("/hello", _) -> {content, "text/plain", "Hello, world!"};
page("/echo", Arg) -> {content, "text/xml", echo(yaws_api:queryvar(Arg, "value"))};
page("/bigtable", _) -> {content, "text/html", bigtable()};
page(_, _) -> {status, 404}.

echo(undefined) -> "<http_test><error>no value specified</error></http_test>";
echo({ok, Value}) -> ["<http_test><value>", yaws_api:htmlize(Value), "</value></http_test>"].

bigtable() -> ["<table>", [row() || _ <- lists:seq(1, 1000)], "</table>"].

row() -> ["<tr>", [["<td>", integer_to_list(N), "</td>"] || N <- lists:seq(1, 50)], "</tr>"].

version() ->
    ok = application:load(yaws),
    {ok, Version} = application:get_key(yaws, vsn),
    io:format("~s on Erlang/OTP ~s~n", [Version, erlang:system_info(otp_release)]),
    halt().
