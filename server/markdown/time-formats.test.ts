import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTime } from './time-formats.ts'

const times: [typed: string, datetime: string | null][] = [
  ['1496701800', '2017-06-05T22:30:00Z'],
  ['1496701800.9', '2017-06-05T22:30:00Z'],
  ['31 Dec 2017', '2017-12-31T00:00:00Z'],
  ['December 31st, 2017 3:05 pm', '2017-12-31T15:05:00Z'],
  ['Sunday, 31 Dec 2017, 12am', '2017-12-31T00:00:00Z'],
  ['2017-12-31', '2017-12-31T00:00:00Z'],
  ['2017-12-31T10:20:30+02:00', '2017-12-31T08:20:30Z'],
  ['2017-12-31 10:20 -0330', '2017-12-31T13:50:00Z'],
  ['2017-12-31T10:20:30.123Z', '2017-12-31T10:20:30Z'],
  ['2024-02-29', '2024-02-29T00:00:00Z'],
  ['2023-02-29', null],
  ['2017-13-01', null],
  ['2017-12-31 25:00', null],
  ['2017-12-31 13pm', null],
  ['0001-01-01T01:00:00+02:00', null],
  ['99999999999999', null],
  ['hello world', null],
  ['', null],
]

for (const [typed, datetime] of times) {
  test(`${JSON.stringify(typed)} is ${datetime ?? 'no time'}`, () => {
    assert.equal(parseTime(typed), datetime)
  })
}
