import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/fast-check.ts'
import { renderMarkdown } from './render.ts'
import { emptyScope, mentionCandidates } from './scope.ts'

test('each name in a message is found once', () => {
  const candidates = mentionCandidates(
    'hi @**Ada**, @_**Ben|12** and @**|13**; @*team* in #**design** or #**a b>c>d** (@**Ada**)',
  )

  assert.deepEqual(candidates, {
    userNames: ['Ada', 'Ben|12', '|13'],
    userIds: [12, 13],
    groupNames: ['team'],
    channelNames: ['design', 'a b'],
    topics: [{ channel: 'a b', topic: 'c>d' }],
  })
})

test('rendering requests no name that was not found before', () => {
  const pieces = [
    '@',
    '@_',
    '#',
    '*',
    '**',
    'a',
    'b ',
    '|1',
    '>',
    '`',
    '[',
    '](c)',
    '\n',
    '> ',
    '- ',
    '(',
    '|',
    '|-|\n',
  ]
  const messages = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''))

  fc.assert(
    fc.property(messages, (text) => {
      const found = mentionCandidates(text)
      const asked = (names: readonly unknown[], name: unknown) => {
        assert.ok(names.includes(name), `${name} in ${JSON.stringify(text)}`)
        return null
      }
      renderMarkdown(text, {
        ...emptyScope,
        findUserByName: (name) => asked(found.userNames, name),
        findUserById: (id) => asked(found.userIds, id),
        findGroupByName: (name) => asked(found.groupNames, name),
        findChannelByName(name) {
          asked(found.channelNames, name)
          return { id: 1, name }
        },
        findFirstIn: (_, topic) =>
          asked(
            found.topics.map((link) => link.topic),
            topic,
          ),
      })
    }),
    { numRuns: 500, seed: 1 },
  )
})
