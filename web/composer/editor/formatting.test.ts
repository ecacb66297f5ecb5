import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Edit, emojiEdit, type Format, formatEdit, type Selection } from './formatting.ts'

/** Returns the text after the edit. The selection, before and after it, is between ‹ and ›. */
function edited(marked: string, toEdit: (selection: Selection) => Edit): string {
  const start = marked.indexOf('‹')
  const end = marked.indexOf('›') - 1
  const text = marked.replace(/[‹›]/g, '')
  const edit = toEdit({ text, start, end })
  const result = text.slice(0, edit.from) + edit.text + text.slice(edit.to)
  const [from, to] = edit.selected
  return `${result.slice(0, from)}‹${result.slice(from, to)}›${result.slice(to)}`
}

const cases: readonly [Format, string, string][] = [
  ['bold', 'a ‹word› here', 'a **‹word›** here'],
  ['bold', 'a **‹word›** here', 'a ‹word› here'],
  ['bold', 'a ‹**word**› here', 'a ‹word› here'],
  ['bold', 'a‹ word ›here', 'a **‹word›** here'],
  ['bold', '‹›', '**‹bold text›**'],
  ['italic', '‹word›', '*‹word›*'],
  ['italic', '*‹word›*', '‹word›'],
  ['italic', '**‹word›**', '***‹word›***'],
  ['italic', '***‹word›***', '**‹word›**'],
  ['bold', '***‹word›***', '*‹word›*'],
  ['bold', '*‹word›*', '***‹word›***'],
  ['link', 'see ‹this›', 'see [this](‹address›)'],
  ['link', 'see ‹https://example.com/a›', 'see [‹text›](https://example.com/a)'],
  ['link', '‹›', '[‹text›](address)'],
  ['list', 'one\ntw‹o\nthr›ee\nfour', 'one\n‹- two\n- three›\nfour'],
  ['list', '‹- two\n- three›', '‹two\nthree›'],
  ['list', 'two‹›', '- two‹›'],
  ['list', '‹one\n›two', '‹- one›\ntwo'],
  ['quote', '‹›', '> ‹›'],
  ['quote', '‹> said›', '‹said›'],
  ['code', 'run ‹ls› now', 'run `‹ls›` now'],
  ['code', 'run `‹ls›` now', 'run ‹ls› now'],
  ['code', 'so:\n‹a\nb›\nthat', 'so:\n```\n‹a\nb›\n```\nthat'],
  ['code', '‹```\na\n```›', '````\n‹```\na\n```›\n````'],
  ['strike', 'a ‹word›', 'a ~~‹word›~~'],
  ['strike', 'a ~~‹word›~~', 'a ‹word›'],
  ['numbers', '‹one\ntwo›', '‹1. one\n2. two›'],
  ['numbers', '‹1. one\n2. two›', '‹one\ntwo›'],
  ['math', '‹E = mc^2›', '$$‹E = mc^2›$$'],
  ['math', '$$‹x›$$', '‹x›'],
  ['math', '‹a\nb›', '```math\n‹a\nb›\n```'],
  ['spoiler', 'the ‹end›', '```spoiler Header\n‹the end›\n```'],
  ['spoiler', 'so:\n```spoiler Header\n‹the end›\n```\nyes', 'so:\n‹the end›\nyes'],
  ['spoiler', '```spoiler Film\none\n‹›two\n```', '‹one\ntwo›'],
  ['spoiler', '‹```spoiler Film\none\n```›', '‹one›'],
  ['spoiler', '```spoiler Film\none\n```\n‹two›', '```spoiler Film\none\n```\n```spoiler Header\n‹two›\n```'],
]

for (const [format, before, after] of cases)
  test(`${format}: ${JSON.stringify(before)}`, () =>
    assert.equal(
      edited(before, (selection) => formatEdit(format, selection)),
      after,
    ))

test('an inserted emoji replaces the selection and is separated from words', () => {
  const withEmoji = (text: string) => edited(text, (selection) => emojiEdit(':tada:', selection))

  assert.equal(withEmoji('‹›'), ':tada: ‹›')
  assert.equal(withEmoji('done‹›'), 'done :tada: ‹›')
  assert.equal(withEmoji('we ‹did› it'), 'we :tada:‹› it')
})
