%% The workloads on cowboy: one handler, told by its route which page to answer.
-module(server).
-export([main/1, init/2, version/0]).

main([Host, Port, Files]) ->
    {ok, Address} = inet:parse_address(Host),
    {ok, _} = application:ensure_all_started(cowboy),
    Routes = [
        {"/pong", ?MODULE, pong},
        {"/hello", ?MODULE, hello},
        {"/echo", ?MODULE, echo},
        {"/bigtable", ?MODULE, bigtable},
        {"/file.png", cowboy_static, {file, filename:join(Files, "file.png")}}
    ],
    {ok, _} = cowboy:start_clear(
        http,
        #{
            max_connections => 10000,
            socket_opts => [{ip, Address}, {port, list_to_integer(Port)}]
        },
        #{
            env => #{dispatch => cowboy_router:compile([{'_', Routes}])},
            max_keepalive => infinity
        }
    ).

init(Req, Page) ->
    {Type, Body} = page(Page, Req),
    {ok, cowboy_req:reply(200, #{<<"content-type">> => Type}, Body, Req), Page}.

page(pong, _) -> {<<"text/plain">>, <<"PONG">>};
page(hello, _) -> {<<"text/plain">>, <<"Hello, world!">>};
page(echo, Req) -> {<<"text/xml">>, echo(cowboy_req:match_qs([{value, [], none}], Req))};
page(bigtable, _) -> {<<"text/html">>, bigtable()}.

echo(#{value := none}) ->
    <<"<http_test><error>no value specified</error></http_test>">>;
echo(#{value := Value}) ->
    Text = xmerl_lib:export_text(binary_to_list(Value)),
    ["<http_test><value>", Text, "</value></http_test>"].

bigtable() -> ["<table>", [row() || _ <- lists:seq(1, 1000)], "</table>"].

row() -> ["<tr>", [["<td>", integer_to_list(N), "</td>"] || N <- lists:seq(1, 50)], "</tr>"].

version() ->
    ok = application:load(cowboy),
    {ok, Version} = application:get_key(cowboy, vsn),
    io:format("~s on Erlang/OTP ~s~n", [Version, erlang:system_info(otp_release)]),
    halt().
