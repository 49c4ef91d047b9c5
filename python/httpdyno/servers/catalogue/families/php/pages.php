<?php

declare(strict_types=1);

function echo_page(?string $value): string
{
    $page = $value === null
        ? '<error>no value specified</error>'
        : '<value>' . htmlspecialchars($value, ENT_XML1 | ENT_NOQUOTES) . '</value>';

    return "<http_test>$page</http_test>";
}

function print_bigtable(): void
{
    echo '<table>';
    for ($row = 0; $row < 1000; $row++) {
        echo '<tr>';
        for ($column = 1; $column <= 50; $column++) {
            echo '<td>', $column, '</td>';
        }
        echo '</tr>';
    }
    echo '</table>';
}

// The web server sends only the paths below here.
switch (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    case '/pong':
        header('Content-Type: text/plain');
        echo 'PONG';
        break;
    case '/hello':
        header('Content-Type: text/plain');
        echo 'Hello, world!';
        break;
    case '/echo':
        header('Content-Type: text/xml');
        echo echo_page($_GET['value'] ?? null);
        break;
    case '/bigtable':
        header('Content-Type: text/html');
        print_bigtable();
        break;
    default:
        http_response_code(404);
}
