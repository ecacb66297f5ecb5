import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandUrlTemplate, parseUrlTemplate } from './linkifier.ts'

const values = new Map([
  ['var', 'value'],
  ['hello', 'Hello World!'],
  ['path', '/foo/bar'],
  ['empty', ''],
  ['x', '1024'],
  ['y', '768'],
  ['half', '50%'],
  ['name', 'Zoë'],
  ['encoded', 'a%20b'],
])

/** Examples from RFC 6570, levels 1 to 4, with strings as values. */
const expansions: [template: string, url: string][] = [
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['{+hello}', 'Hello%20World!'],
  ['{+path}/here', '/foo/bar/here'],
  ['here?ref={path}', 'here?ref=%2Ffoo%2Fbar'],
  ['X{#hello}', 'X#Hello%20World!'],
  ['map?{x,y}', 'map?1024,768'],
  ['{x,hello,y}', '1024,Hello%20World%21,768'],
  ['{#path,x}/here', '#/foo/bar,1024/here'],
  ['X{.var}', 'X.value'],
  ['X{.x,y}', 'X.1024.768'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{;x,y,empty}', ';x=1024;y=768;empty'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{var:3}', 'val'],
  ['{var:30}', 'value'],
  ['{+path:6}here', '/foo/bhere'],
  ['{name:3}', 'Zo%C3%AB'],
  ['{half}{+half}', '50%2550%25'],
  ['{encoded}{+encoded}', 'a%2520ba%20b'],
  ['{x*}', '1024'],
  ['{?unknown}{unknown,x}', '1024'],
  ['https://example.com/a b/é', 'https://example.com/a%20b/%C3%A9'],
]

for (const [template, url] of expansions) {
  test(`${template} expands to ${url}`, () => {
    const parsed = parseUrlTemplate(template)

    assert.ok(parsed)
    assert.equal(expandUrlTemplate(parsed, values), url)
  })
}

test('templates with open, nested or empty braces, invalid names or reserved operators are rejected', () => {
  const templates = [
    '{',
    '}',
    '{a',
    'a}',
    '{{a}}',
    '{}',
    '{a b}',
    '{a,}',
    '{a:0}',
    '{a:12345}',
    '{=a}',
    '{|a}',
    '{.}',
    '{a..b}',
  ]

  const accepted = templates.filter((template) => parseUrlTemplate(template) !== null)

  assert.deepEqual(accepted, [])
})

test('a template lists its variables', () => {
  const parsed = parseUrlTemplate('https://example.com/{+org}/{repo:5}{?a,b*}')

  assert.deepEqual([...(parsed?.variables ?? [])], ['org', 'repo', 'a', 'b'])
})
