import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutQuotes, withoutSignature } from './quotes.ts'

const answers: readonly (readonly [name: string, text: string])[] = [
  ['a quote below', 'Yes.\n\nOn Mon, 29 Nov 2026 at 10:00 Ada <ada@example.com> wrote:\n\n> Tea?\n> \n> Ada'],
  ['a broken introduction', 'Yes.\n\nOn Mon, 29 Nov 2026 at 10:00, Ada Lovelace\n<ada@example.com>\nwrote:\n> Tea?'],
  ['an introduction whose quote was removed', 'Yes.\n\nAm 29.11.2026 um 10:00 schrieb Ada <ada@example.com>:'],
  ['French', 'Yes.\n\nLe lun. 29 nov. 2026 à 10:00, Ada <ada@example.com> a écrit :\n> Tea ?'],
  ['a quote above', 'On 29 Nov 2026, Ada wrote:\n> Tea?\n\nYes.'],
  [
    'Outlook',
    'Yes.\n\n________________________________\nFrom: Ada <ada@example.com>\nSent: Monday\nTo: Grace\nSubject: Tea\n\nTea?',
  ],
  ['Outlook in German', 'Yes.\n\nVon: Ada <ada@example.com>\nGesendet: Montag\nAn: Grace\nBetreff: Tee\n\nTee?'],
  ['Outlook without fields', 'Yes.\n\n-----Original Message-----\nTea?'],
  ['HTML', 'Yes.\n\n**From:** Ada\n**Sent:** Monday\n**To:** Grace\n\nTea?'],
]

for (const [name, text] of answers)
  test(`the email that is answered is left out: ${name}`, () => assert.equal(withoutQuotes(text), 'Yes.'))

test('quotes within an answer stay, as does a text that is nothing but a quote', () => {
  const inline = 'Two things:\n> Tea?\nYes.\n> Cake?\nNo.'
  const onlyQuote = 'On 29 Nov 2026, Ada wrote:\n> Tea?'

  assert.equal(withoutQuotes(inline), inline)
  assert.equal(withoutQuotes(onlyQuote), onlyQuote)
})

test('a text that only looks like the beginning of a quote stays', () => {
  for (const text of ['From: the start\nit went well', 'She wrote:\n\nDear all', 'The letter that Ada wrote:'])
    assert.equal(withoutQuotes(text), text)
})

test('the signature is left out, if it is clear where it begins', () => {
  assert.equal(withoutSignature('Yes.\n\n-- \nGrace\nNavy'), 'Yes.')
  assert.equal(withoutSignature('Yes.\n\nSent from my iPhone'), 'Yes.')
  assert.equal(withoutSignature('one\n--\ntwo\n--\nthree'), 'one\n--\ntwo\n--\nthree')
  assert.equal(withoutSignature('-- \nGrace'), '-- \nGrace')
})

test('hostile texts take linear time', () => {
  const patterns = [
    '> \n',
    'From: a\n',
    'On 1:00 wrote:\n',
    '\n',
    'wrote : ',
    '-- \n',
    '____________\n',
    'a'.repeat(99),
  ]
  for (const pattern of patterns) {
    const text = pattern.repeat(200_000 / pattern.length)
    assert.equal(typeof withoutSignature(withoutQuotes(text)), 'string')
  }
})
