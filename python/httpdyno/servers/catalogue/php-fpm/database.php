<?php

// TechEmpower's tests in PHP, with PDO as its manual uses it.
declare(strict_types=1);

const ROWS = 10000;

function database(): PDO
{
    $address = sprintf('pgsql:host=%s;port=%s;dbname=%s', getenv('PGHOST'), getenv('PGPORT'), getenv('PGDATABASE'));

    return new PDO($address, getenv('PGUSER'), getenv('PGPASSWORD'), [
        PDO::ATTR_PERSISTENT => true,
        PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
    ]);
}

function send_json(array $value): void
{
    header('Content-Type: application/json');
    echo json_encode($value);
}

// As many rows as a request asks for, in one order, so that no two requests wait for each other's rows.
function several(PDO $database): array
{
    $number = min(max((int) ($_GET['queries'] ?? 1), 1), 500);
    $ids = array_map(fn () => random_int(1, ROWS), range(1, $number));
    sort($ids);

    $read = $database->prepare('SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = ?');
    $worlds = [];
    foreach ($ids as $id) {
        $read->execute([$id]);
        $worlds[] = $read->fetch();
    }

    return $worlds;
}

// nginx sends only the paths below here.
switch (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    case '/json':
        send_json(['message' => 'Hello, World!']);
        break;
    case '/plaintext':
        header('Content-Type: text/plain');
        echo 'Hello, World!';
        break;
    case '/db':
        $read = database()->prepare('SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = ?');
        $read->execute([(int) ($_GET['id'] ?? 0) ?: random_int(1, ROWS)]);
        send_json($read->fetch());
        break;
    case '/queries':
        send_json(several(database()));
        break;
    case '/fortunes':
        $fortunes = database()->query('SELECT id, message FROM fortune')->fetchAll();
        $fortunes[] = ['id' => 0, 'message' => 'Additional fortune added at request time.'];
        usort($fortunes, fn ($one, $other) => strcmp($one['message'], $other['message']));
        header('Content-Type: text/html; charset=utf-8');
        ?>
<!DOCTYPE html>
<html>
<head><title>Fortunes</title></head>
<body>
<table>
<tr><th>id</th><th>message</th></tr>
<?php foreach ($fortunes as $fortune) { ?>
<tr><td><?= $fortune['id'] ?></td><td><?= htmlspecialchars($fortune['message']) ?></td></tr>
<?php } ?>
</table>
</body>
</html>
<?php
        break;
    case '/updates':
        $database = database();
        $worlds = several($database);
        $write = $database->prepare('UPDATE world SET randomnumber = ? WHERE id = ?');
        foreach ($worlds as &$world) {
            $world['randomNumber'] = random_int(1, ROWS);
            $write->execute([$world['randomNumber'], $world['id']]);
        }
        send_json($worlds);
        break;
}
