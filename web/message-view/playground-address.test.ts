import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandUrlTemplate, parseUrlTemplate } from '#markdown/linkifier.ts'
import { toPlaygroundAddress } from './playground-address.ts'

const CODES = ['print("a+b")\n', '', 'ä 🎉 50%25 [1]%5B!*', "it's (fine)/so;far?a=b&c#d", '\ud800', '%', '%5D%5d']
const TEMPLATES = [
  '{code}',
  '{code:3}',
  '{code*}',
  '{code,code}',
  '{+code}',
  '{#code}',
  '{.code}',
  '{/code}',
  '{;code}',
]

test('a template is expanded as the server expands it', () => {
  for (const end of [...TEMPLATES, '{?code}', '?a=b{&code}', '{?code:2}&end', '{+code:4}/{code}', 'x?{code}#{+code}'])
    for (const code of CODES) {
      const template = `https://example.com/${end}`

      const address = toPlaygroundAddress(template, code)

      const parsed = parseUrlTemplate(template)
      assert.ok(parsed)
      assert.equal(address, expandUrlTemplate(parsed, new Map([['code', code]])), `${template} ${code}`)
    }
})
