import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openScriptedRelay, type RelayStage, type RelayTurn } from '../../test/mail/scripted-relay.ts'
import { runCommand } from '../../test/processes/command.ts'

const testMail = (url: string, address = 'ada@example.com') =>
  runCommand(['mail', 'test', address], { SMTP_URL: url, MAIL_FROM: 'noreply@chat.test' })

test('a test email is sent, and the dialogue is printed line by line without the password', async () => {
  await using relay = await openScriptedRelay()

  const { code, output, complaint } = await testMail(`smtp://mailer:s3cret-pass@127.0.0.1:${relay.port}`)

  assert.deepEqual([code, complaint], [0, ''])
  const lines = output.split('\n')
  assert.match(lines[0] ?? '', /^\* Connection established to 127\.0\.0\.1/)
  for (const line of ['> AUTH PLAIN ***', '> MAIL FROM:<noreply@chat.test>', '> RCPT TO:<ada@example.com>', '> DATA'])
    assert.ok(lines.includes(line), line)
  assert.ok(lines.some((line) => /^> \(the mail: \d+ bytes\)$/.test(line)))
  assert.match(output, /^The relay has accepted the email: 250 Accepted for delivery$/m)
  assert.doesNotMatch(output, /s3cret|cG9zdG1hb/)
  assert.deepEqual(relay.arrived[0]?.to, ['ada@example.com'])
})

const faults: { stage: RelayStage; turn: RelayTurn; says: RegExp }[] = [
  { stage: 'connect', turn: { code: 554, text: 'Go away' }, says: /554 Go away\nThe relay refuses this server/ },
  { stage: 'auth', turn: { code: 535, text: 'Who is that?' }, says: /535 .*\nThe relay refuses the user name/ },
  {
    stage: 'mailFrom',
    turn: { code: 553, text: 'Not yours' },
    says: /553 .*\nThe relay refuses the sender\. Set MAIL_FROM/,
  },
  {
    stage: 'rcptTo',
    turn: { code: 450, text: 'Later' },
    says: /450 .*\nThe relay does not accept email to this address at/,
  },
  { stage: 'rcptTo', turn: { code: 550, text: 'Nobody' }, says: /550 .*\nThe relay refuses the recipient/ },
  { stage: 'dot', turn: { code: 554, text: 'Spam' }, says: /554 .*\nThe relay refuses the email itself/ },
  { stage: 'mailFrom', turn: 'drop', says: /\nThe connection failed/ },
]

for (const { stage, turn, says } of faults) {
  test(`at ${stage}, ${JSON.stringify(turn)}: the command fails with advice`, async () => {
    await using relay = await openScriptedRelay()
    relay.behave({ [stage]: turn })

    const { code, output, complaint } = await testMail(`smtp://mailer:s3cret-pass@127.0.0.1:${relay.port}`)

    assert.equal(code, 1)
    assert.match(complaint, says)
    assert.match(output, /^\* Connection established/)
    assert.doesNotMatch(output + complaint, /s3cret/)
  })
}

test('an invalid certificate and an unreachable relay have different messages', async () => {
  await using relay = await openScriptedRelay({ secure: true })

  const untrusted = await testMail(`smtps://127.0.0.1:${relay.port}`)
  const plain = await testMail('smtp://127.0.0.1:1')

  assert.deepEqual([untrusted.code, plain.code], [1, 1])
  assert.match(untrusted.complaint, /The certificate of the relay is not trusted/)
  assert.match(plain.complaint, /ECONNREFUSED.*\nThe connection failed/)
})

test('a missing relay, an invalid URL and an invalid address are reported', async () => {
  const unset = await testMail('')
  const unusable = await testMail('http://mailer:s3cret-pass@host')
  const nobody = await testMail('smtp://127.0.0.1:1', 'ada@example.com,ben@example.com')

  assert.deepEqual([unset.code, unusable.code, nobody.code], [1, 1, 2])
  assert.match(unset.complaint, /^There is no relay: set SMTP_URL/)
  assert.match(unusable.complaint, /^Invalid settings:\n {2}SMTP_URL: must be like/)
  assert.match(nobody.complaint, /is not a valid email address/)
})
