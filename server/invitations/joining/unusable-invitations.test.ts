import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { PASSWORD } from '../../../test/browser.ts'
import { confirmEmailChange } from '../../../test/email-changes.ts'
import { startChat } from '../../../test/harness.ts'
import { accept, keyOfInvitation, keyOfLink } from '../../../test/joining.ts'
import { Role } from '../../people/users/role.ts'

const DAY = 86_400
const DEAD = 'This invitation does not count any more'

const owner = { role: Role.owner }
const admin = { role: Role.administrator }

suite('when an invitation is dead', () => {
  test('it is used, expired or withdrawn, or was made in another organization', async () => {
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

    assert.equal(await accept(chat, used, { realm: other }), 'There is no such invitation')
    assert.equal(await accept(chat, used), 'in')
    assert.equal(await accept(chat, used, { email: 'second@x.com' }), 'This invitation was used')
    assert.equal(await accept(chat, expired), 'This invitation has expired')
    assert.equal(await accept(chat, revoked), 'This invitation was withdrawn')
    assert.equal(await accept(chat, 'a'.repeat(32)), 'There is no such invitation')
  })

  test('an expired one that is sent again or extended is alive, by the same key', async () => {
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

  test('its inviter has no account any more, even if they come back', async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada', owner), await chat.user('ben', admin)]
    const [invitation, link] = [await keyOfInvitation(chat, ben, 'new@x.com'), await keyOfLink(ben)]

    await ada.succeed(`DELETE /users/${ben.id}`)
    const gone = [await accept(chat, invitation), await accept(chat, link, { email: 'other@x.com' })]
    await ada.succeed(`POST /users/${ben.id}/reactivate`)

    assert.deepEqual(gone, [DEAD, DEAD])
    assert.equal(await accept(chat, invitation), DEAD)
  })

  test('its inviter may no longer invite to the role, or at all, for as long as that is so', async () => {
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

  test('another invitation of the address was accepted; other organizations keep theirs', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const other = await chat.organization('other')
    const eve = await chat.user('eve', { realm: other })
    const first = await keyOfInvitation(chat, ben, 'new@x.com')
    const second = await keyOfInvitation(chat, cleo, 'NEW@x.com')
    const elsewhere = await keyOfInvitation(chat, eve, 'new@x.com')

    assert.equal(await accept(chat, first), 'in')

    assert.equal(await accept(chat, second), 'You have an account already')
    assert.deepEqual((await cleo.succeed('GET /invites'))['invites'], [])
    assert.deepEqual((await chat.eventsOf(cleo)).filter(({ type }) => type === 'invites_changed').length, 2)
    assert.equal(await accept(chat, elsewhere, { realm: other }), 'in')
    const before = (await chat.mail()).length
    await chat.clock.advance(30 * DAY)
    assert.equal((await chat.mail()).length, before)
  })

  test('somebody who has an account already has taken the address', async () => {
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

  test('an administrator made the account meanwhile', async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada', owner), await chat.user('ben')]
    const key = await keyOfInvitation(chat, ben, 'new@x.com')

    await ada.succeed('POST /users', { email: 'new@x.com', full_name: 'New', password: PASSWORD })

    assert.equal(await accept(chat, key), 'log in')
    assert.deepEqual((await ben.succeed('GET /invites'))['invites'], [])
    assert.deepEqual((await chat.eventsOf(ben)).filter(({ type }) => type === 'invites_changed').length, 2)
  })
})

suite('who may not come in', () => {
  test('whose address the organization takes no longer, until it does again', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const key = await keyOfInvitation(chat, ada, 'new@x.com')
    await ada.succeed('POST /realm/domains', { domain: 'y.com', allow_subdomains: false })
    await ada.succeed('PATCH /realm', { emails_restricted_to_domains: true })

    assert.equal(await accept(chat, key), 'You cannot join Example yet')

    await ada.succeed('PATCH /realm', { emails_restricted_to_domains: false })
    assert.equal(await accept(chat, key), 'in')
  })

  test('who would be one too many; guests are not counted', async () => {
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

  test('who gives no name, or one that somebody has where names are unique; nothing is lost by it', async () => {
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
