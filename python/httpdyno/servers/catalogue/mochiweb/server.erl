%% The workloads on mochiweb, as its own template writes a loop over the path.
-module(server).
-export([main/1, version/0]).

main([Host, Port, Files | Extra]) ->
    {ok, Address} = inet:parse_address(Host),
    Options = [
        {ip, Address},
        {port, list_to_integer(Port)},
        {max, 10000},
        {backlog, 4096},
        {nodelay, lists:member("nodelay", Extra)},
        {loop, fun(Req) -> answer(mochiweb_request:get(path, Req), Files, Req) end}
    ],
    %% mochiweb links to whoever starts it and ends with it, silently: somebody has to stay.
    spawn(fun() ->
        {ok, _} = mochiweb_http:start(Options),
        timer:sleep(infinity)
    end).

answer("/pong", _, Req) -> send("text/plain", "PONG", Req);
answer("/hello", _, Req) -> send("text/plain", "Hello, world!", Req);
answer("/echo", _, Req) -> send("text/xml", echo(mochiweb_request:parse_qs(Req)), Req);
answer("/bigtable", _, Req) -> send("text/html", bigtable(), Req);
answer("/file.png", Files, Req) -> mochiweb_request:serve_file("file.png", Files, Req);
answer(_, _, Req) -> mochiweb_request:not_found(Req).

send(Type, Body, Req) -> mochiweb_request:ok({Type, Body}, Req).

echo(Query) ->
    case proplists:get_value("value", Query) of
        undefined -> "<http_test><error>no value specified</error></http_test>";
        Value -> ["<http_test><value>", mochiweb_html:escape(Value), "</value></http_test>"]
    end.

bigtable() -> ["<table>", [row() || _ <- lists:seq(1, 1000)], "</table>"].

row() -> ["<tr>", [["<td>", integer_to_list(N), "</td>"] || N <- lists:seq(1, 50)], "</tr>"].

version() ->
    ok = application:load(mochiweb),
    {ok, Version} = application:get_key(mochiweb, vsn),
    io:format("~s on Erlang/OTP ~s~n", [Version, erlang:system_info(otp_release)]),
    halt().
