%% The workloads on misultin 0.7.1 to 0.9, in calls that all of them have.
-module(server).
-export([main/1, version/0]).

main([Host, Port, Files]) ->
    {ok, Address} = inet:parse_address(Host),
    Options = [
        {ip, Address},
        {port, list_to_integer(Port)},
        {backlog, 4096},
        {max_connections, 10000},
        {loop, fun(Req) -> answer(misultin_req:resource([], Req), Files, Req) end}
    ],
    %% misultin is linked to whoever starts it: somebody has to stay.
    spawn(fun() ->
        {ok, _} = misultin:start_link(Options),
        timer:sleep(infinity)
    end).

answer(["pong"], _, Req) -> send("text/plain", "PONG", Req);
answer(["hello"], _, Req) -> send("text/plain", "Hello, world!", Req);
answer(["echo"], _, Req) -> send("text/xml", echo(misultin_req:parse_qs(Req)), Req);
answer(["bigtable"], _, Req) -> send("text/html", bigtable(), Req);
answer(["file.png"], Files, Req) -> misultin_req:file(filename:join(Files, "file.png"), Req);
answer(_, _, Req) -> misultin_req:respond(404, Req).

send(Type, Body, Req) -> misultin_req:ok([{"Content-Type", Type}], Body, Req).

echo(Query) ->
    case lists:keyfind("value", 1, Query) of
        false -> "<http_test><error>no value specified</error></http_test>";
        {_, Value} -> ["<http_test><value>", xmerl_lib:export_text(Value), "</value></http_test>"]
    end.

bigtable() -> ["<table>", [row() || _ <- lists:seq(1, 1000)], "</table>"].

row() -> ["<tr>", [["<td>", integer_to_list(N), "</td>"] || N <- lists:seq(1, 50)], "</tr>"].

version() ->
    case application:load(misultin) of
        ok ->
            {ok, Version} = application:get_key(misultin, vsn),
            io:format("~s on Erlang/OTP ~s~n", [Version, erlang:system_info(otp_release)]),
            halt();
        {error, _} ->
            io:format("no misultin/ebin/misultin.app under ERL_LIBS ~s~n", [os:getenv("ERL_LIBS")]),
            halt(1)
    end.
