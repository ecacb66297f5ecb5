import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Role } from '#rules/role.ts'
import { PASSWORD } from '../../../test/browser.ts'
import { confirmEmailChange } from '../../../test/email-changes.ts'
import { startChat } from '../../../test/harness.ts'
import { accept, keyOfInvitation, keyOfLink } from '../../../test/joining.ts'

const DAY = 86_400
const DEAD = 'This invitation is no longer valid'

const owner = { role: Role.owner }
const admin = { role: Role.administrator }

suite('an invitation cannot be used', () => {
  test('if it was used, expired or revoked, or belongs to another organization', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const other = await chat.organization('other')
    const [used, expired, revoked] = [
      await keyOfInvitation(chat, ben, 'used@x.com'),
      await keyOfInvitation(chat, ben, 'expired@x.com', { invite_expires_in_minutes: 1 }),
      await keyOfInvitation(chat, ben, 'revoked@x.com'),
    ]
    const { invites } = await ben.succeed('GET /invites')
    await ben.succeed(`DELETE /invites/${invites[2].id}`)
    await chat.clock.advance(61)

    assert.equal(await accept(chat, used, { realm: other }), 'Invitation not found')
    assert.equal(await accept(chat, used), 'in')
    assert.equal(await accept(chat, used, { email: 'second@x.com' }), 'This invitation has been used')
    assert.equal(await accept(chat, expired), 'This invitation has expired')
    assert.equal(await accept(chat, revoked), 'This invitation was revoked')
    assert.equal(await accept(chat, 'a'.repeat(32)), 'Invitation not found')
  })

  test('until it is resent or extended after it expired; then its key works again', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const [first, second] = [
      await keyOfInvitation(chat, ben, 'one@x.com', { invite_expires_in_minutes: 1 }),
      await keyOfInvitation(chat, ben, 'two@x.com', { invite_expires_in_minutes: 1 }),
    ]
    const ids = (await ben.succeed('GET /invites'))['invites'].map(({ id }: { id: number }) => id)
    await chat.clock.advance(61)

    await ben.succeed(`POST /invites/${ids[0]}/resend`)
    await ben.succeed(`PATCH /invites/${ids[1]}`, { invite_expires_in_minutes: 5 })

    assert.deepEqual([await accept(chat, first), await accept(chat, second)], ['in', 'in'])
  })

  test('if its inviter was deactivated, even after reactivation', async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada', owner), await chat.user('ben', admin)]
    const [invitation, link] = [await keyOfInvitation(chat, ben, 'new@x.com'), await keyOfLink(ben)]

    await ada.succeed(`DELETE /users/${ben.id}`)
    const gone = [await accept(chat, invitation), await accept(chat, link, { email: 'other@x.com' })]
    await ada.succeed(`POST /users/${ben.id}/reactivate`)

    assert.deepEqual(gone, [DEAD, DEAD])
    assert.equal(await accept(chat, invitation), DEAD)
  })

  test('while its inviter may not invite, or not to this role', async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada', owner), await chat.user('ben', admin)]
    const [asAdmin, asMember] = [
      await keyOfInvitation(chat, ben, 'boss@x.com', { invite_as: 200 }),
      await keyOfInvitation(chat, ben, 'new@x.com'),
    ]
    const link = await keyOfLink(ben)
    await ada.succeed(`PATCH /users/${ben.id}`, { role: 400 })
    const demoted = [await accept(chat, asAdmin), await accept(chat, link, { email: 'other@x.com' })]
    await chat.change({ can_invite_users_group: 'role:administrators' })
    const refusedToo = await accept(chat, asMember)
    await chat.change({ can_invite_users_group: 'role:members', create_multiuse_invite_group: 'role:members' })

    assert.deepEqual([...demoted, refusedToo], [DEAD, DEAD, DEAD])
    assert.equal(await accept(chat, asMember), 'in')
    assert.equal(await accept(chat, link, { email: 'other@x.com' }), 'in')
    assert.equal(await accept(chat, asAdmin), DEAD)
  })

  test('if another invitation of the address was accepted; other organizations keep theirs', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const other = await chat.organization('other')
    const eve = await chat.user('eve', { realm: other })
    const first = await keyOfInvitation(chat, ben, 'new@x.com')
    const second = await keyOfInvitation(chat, cleo, 'NEW@x.com')
    const elsewhere = await keyOfInvitation(chat, eve, 'new@x.com')

    assert.equal(await accept(chat, first), 'in')

    assert.equal(await accept(chat, second), 'You already have an account')
    assert.deepEqual((await cleo.succeed('GET /invites'))['invites'], [])
    assert.deepEqual((await chat.eventsOf(cleo)).filter(({ type }) => type === 'invites_changed').length, 2)
    assert.equal(await accept(chat, elsewhere, { realm: other }), 'in')
    const before = (await chat.mail()).length
    await chat.clock.advance(30 * DAY)
    assert.equal((await chat.mail()).length, before)
  })

  test('if an existing user has taken the address', async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada', owner), await chat.user('ben')]
    const key = await keyOfInvitation(chat, ada, 'new@x.com')

    await ada.succeed(`PATCH /users/${ben.id}`, { new_email: 'New@x.com' })
    await confirmEmailChange(chat, 'New@x.com')

    assert.equal(await accept(chat, key), 'log in')
    assert.deepEqual((await ada.succeed('GET /invites'))['invites'], [])
    await chat.mail()
    await chat.clock.advance(30 * DAY)
    assert.equal((await chat.mail()).filter(({ subject }) => subject.startsWith('Reminder')).length, 0)
  })

  test('if an administrator created the account meanwhile', async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada', owner), await chat.user('ben')]
    const key = await keyOfInvitation(chat, ben, 'new@x.com')

    await ada.succeed('POST /users', { email: 'new@x.com', full_name: 'New', password: PASSWORD })

    assert.equal(await accept(chat, key), 'log in')
    assert.deepEqual((await ben.succeed('GET /invites'))['invites'], [])
    assert.deepEqual((await chat.eventsOf(ben)).filter(({ type }) => type === 'invites_changed').length, 2)
  })
})

suite('people cannot join', () => {
  test('with an address that the organization does not accept, until it does again', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const key = await keyOfInvitation(chat, ada, 'new@x.com')
    await ada.succeed('POST /realm/domains', { domain: 'y.com', allow_subdomains: false })
    await ada.succeed('PATCH /realm', { emails_restricted_to_domains: true })

    assert.equal(await accept(chat, key), 'You cannot join Example yet')

    await ada.succeed('PATCH /realm', { emails_restricted_to_domains: false })
    assert.equal(await accept(chat, key), 'in')
  })

  test('without a free license; guests need none', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const [member, guest] = [
      await keyOfInvitation(chat, ada, 'new@x.com'),
      await keyOfInvitation(chat, ada, 'guest@x.com', { invite_as: 600 }),
    ]
    await chat.change({ license_limit: 1 })

    assert.equal(await accept(chat, member), 'You cannot join Example yet')
    assert.equal(await accept(chat, guest), 'in')

    await chat.change({ license_limit: 2 })
    assert.equal(await accept(chat, member), 'in')
  })

  test('without a name, or with one that is taken where names are unique; the invitation remains usable', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    await chat.change({ require_unique_names: true })
    const key = await keyOfInvitation(chat, ada, 'new@x.com')

    assert.match(await accept(chat, key, { name: ' ' }), /name/i)
    assert.equal(await accept(chat, key, { name: 'ADA' }), 'Unique names required in this organization.')

    assert.equal((await ada.succeed('GET /users'))['members'].length, 1)
    assert.equal(await accept(chat, key, { name: 'Bea' }), 'in')
  })
})
