import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandsIn } from '../../test/processes/command.ts'
import { createOrganizationIn } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'

test('commands invite people in the name of an account, and revoke what they sent', async () => {
  const folder = await temporaryFolder()
  await createOrganizationIn(folder)
  const { run, json } = commandsIn(folder)

  const sent = await run('invite', 'send', 'ben@example.com', 'ada@example.com', '--role', 'moderator', '--json')
  const again = await run('invite', 'send', 'ben@example.com')
  const malformed = await run('invite', 'send', 'notanaddress', 'cleo@example.com', '--json')
  const link = await json('invite', 'link', '--max-uses', '2', '--domain', 'example.com', '--days', 'never')
  const listed = await json('invite', 'list')
  const [ben, shared] = listed
  const revoked = [await json('invite', 'revoke', String(ben.id)), await json('invite', 'revoke', String(shared.id))]
  const refused = [
    await run('invite', 'revoke', String(ben.id)),
    await run('invite', 'revoke', '4711'),
    await run('invite', 'send', 'cleo@example.com', '--channel', 'nonesuch'),
    await run('invite', 'send', 'cleo@example.com', '--days', '0'),
    await run('invite', 'send'),
  ]
  const left = await json('invite', 'list')
  const mails = await json('mail', 'list')
  const entries = await json('audit', '--category', 'invitations')

  assert.equal(sent.code, 1)
  assert.deepEqual(JSON.parse(sent.output), [
    { email: 'ben@example.com', invited: true, reason: '' },
    { email: 'ada@example.com', invited: false, reason: 'Already has an account.' },
  ])
  assert.match(sent.complaint, /This server sends no email yet \(SMTP_URL\)/)
  assert.equal(again.code, 1)
  assert.match(again.output, /^ben@example\.com +false +\S/m)
  assert.match(again.complaint, /^.*a few minutes ago.*\n$/)
  assert.equal(malformed.code, 1)
  assert.deepEqual(JSON.parse(malformed.output), [
    { email: 'notanaddress', invited: false, reason: 'Invalid address.' },
    { email: 'cleo@example.com', invited: false, reason: '' },
  ])
  assert.deepEqual(
    [ben.email, ben.role, ben.invited_by, ben.url],
    ['ben@example.com', 'moderator', 'ada@example.com', null],
  )
  assert.match(link.url, /^http:\/\/parley\.test\/join\/[a-z2-7]{32}\/$/)
  assert.deepEqual([shared.url, shared.max_uses, shared.expires], [link.url, 2, null])
  assert.deepEqual(
    revoked.map(({ state }) => state),
    ['revoked', 'revoked'],
  )
  assert.deepEqual(
    refused.map(({ code }) => code),
    [1, 1, 1, 2, 2],
  )
  assert.deepEqual(left, [])
  assert.ok(mails.every(({ state }: { state: string }) => state === 'cancelled'))
  assert.deepEqual(
    entries.map(({ kind, origin }: Record<string, unknown>) => [kind, origin]),
    [
      ['invitation_revoked', 'command'],
      ['invitation_revoked', 'command'],
      ['invitation_link_created', 'command'],
      ['invitations_sent', 'command'],
    ],
  )
})
