import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEnvironmentFile } from './environment-file.ts'

test('a file of settings is read as systemd reads it', () => {
  const text = [
    '# a comment; and an empty line\r',
    '\r',
    '; another comment',
    'PORT=9992\r',
    '  export LISTEN_HOST = 0.0.0.0  ',
    'SMTP_URL=smtp://me:a#b@mail',
    `REALM_HOSTS={"chat.example.com": "team"}`,
    `LITERAL='$HOME \\n'`,
    'QUOTED="say \\"hello\\", \\\\ and \\n"',
    'SEVERAL="one',
    'two"',
    'JOINED=one\\',
    'two',
    'EMPTY=',
  ].join('\n')

  assert.deepEqual(Object.fromEntries(parseEnvironmentFile(text, 'parley.env')), {
    PORT: '9992',
    LISTEN_HOST: '0.0.0.0',
    SMTP_URL: 'smtp://me:a#b@mail',
    REALM_HOSTS: '{"chat.example.com": "team"}',
    LITERAL: '$HOME \\n',
    QUOTED: 'say "hello", \\ and \\n',
    SEVERAL: 'one\ntwo',
    JOINED: 'onetwo',
    EMPTY: '',
  })
})

test('a line that is no variable is named by its number, without its text', () => {
  assert.throws(() => parseEnvironmentFile('PORT=1\n\nSMTP_URL smtp://me:s3cret@mail\n', '/etc/parley.env'), {
    message: /^\/etc\/parley\.env, line 3: must be NAME=value, or a comment that begins with #/,
  })
  assert.throws(() => parseEnvironmentFile('A=1\nSMTP_URL="smtp://mail" # the relay\n', 'parley.env'), {
    message: /line 2: .*nothing may follow a value in quotes$/,
  })
  assert.throws(() => parseEnvironmentFile('one\nA=1\ntwo\nB=2\nthree', 'file'), { message: /^file, lines 1, 3, 5: / })
})
