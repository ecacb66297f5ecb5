import assert from 'node:assert/strict'
import { saveRealmSettings } from '../../server/organizations/realms/queries.ts'
import type { Person } from '../harness.ts'
import { accept } from '../joining.ts'
import type { Channel, Invitation, Somebody } from './model.ts'
import type { Step, StepParameters } from './steps.ts'
import { addToModel, findPageHeading, membershipsOf, paramsOf, type World } from './world.ts'

/** Does the thing in both worlds, and fails where they part; false where there was nothing to be done. */
type Action<Known> = (world: World, known: Known) => Promise<boolean>

async function call(
  { people }: World,
  who: string,
  route: string,
  params: Record<string, unknown> = {},
): Promise<string> {
  return (await (people[who] as Person).call(route, params)).msg || 'ok'
}

const pathOf = ({ id, email }: Invitation) => `/invites/${email === null ? 'multiuse/' : ''}${id}`

/** Expects the answer, and does the rest where it is a success. */
async function expectResult(actual: Promise<string>, expected: string, then: () => unknown): Promise<boolean> {
  assert.equal(await actual, expected)
  if (expected === 'ok') await then()
  return true
}

/** A deed of somebody to one of the invitations that were made. */
const toInvitation =
  <Known extends { which: number }>(
    deed: (world: World, known: Known, invitation: Invitation) => Promise<unknown>,
  ): Action<Known> =>
  async (world, known) => {
    const { invitations } = world.model
    if (invitations.length === 0) return false
    await deed(world, known, invitations[known.which % invitations.length] as Invitation)
    return true
  }

const accepting = (times: number) =>
  toInvitation<StepParameters['accept']>(async (world, { email }, invitation) => {
    const { chat, realm, model } = world
    const places = model.memberships(invitation)
    const expected = Array.from({ length: times }, () => model.accept(invitation, email))

    const outcomes = await Promise.all(expected.map(() => accept(chat, invitation.key, { realm, email })))

    assert.deepEqual(outcomes.toSorted(), expected.toSorted())
    if (!expected.includes('in')) return
    const found = await membershipsOf(world, invitation.email ?? email)
    assert.deepEqual(found, { role: invitation.role, ...places })
  })

const moving =
  (does: 'enter' | 'leave'): Action<StepParameters['enter']> =>
  async (world, { who }) => {
    const { model } = world
    const [secret, { id, isActive }] = [model.channels['secret'] as Channel, model.people[who] as Somebody]
    if (secret.isArchived || !isActive) return false
    const [method, subscriptions] = does === 'enter' ? ['POST', [{ name: 'secret' }]] : ['DELETE', ['secret']]
    const answer = call(world, 'ada', `${method} /users/me/subscriptions`, { subscriptions, principals: [id] })
    return expectResult(answer, 'ok', () => (does === 'enter' ? secret.members.add(who) : secret.members.delete(who)))
  }

const actions: { [What in keyof StepParameters]: Action<StepParameters[What]> } = {
  invite(world, { who, email, offer }) {
    const expected = world.model.refusalOfGrants(who, offer, false, email)
    const params = { invitee_emails: email, ...paramsOf(world.model, offer) }
    const noted = () => addToModel(world, who, offer, { email, maxUses: 1, domain: null })
    return expectResult(call(world, who, 'POST /invites', params), expected, noted)
  },
  link(world, { who, offer, maxUses, domain }) {
    const expected = world.model.refusalOfGrants(who, offer, true, null)
    const limits = { max_uses: maxUses, allowed_domains: domain === null ? [] : [domain] }
    const params = { ...paramsOf(world.model, offer), ...limits }
    const noted = () => addToModel(world, who, offer, { email: null, maxUses, domain })
    return expectResult(call(world, who, 'POST /invites/multiuse', params), expected, noted)
  },
  resend: toInvitation<StepParameters['resend']>((world, { who }, invitation) => {
    const { model } = world
    const ofLink = model.refusalOfCaller(who) ?? 'No such invitation'
    const expected = invitation.email === null ? ofLink : model.refusalOfManagement(who, invitation)
    const answer = call(world, who, `POST /invites/${invitation.id}/resend`)
    return expectResult(answer, expected, () => model.live(invitation, invitation.minutes))
  }),
  revoke: toInvitation<StepParameters['resend']>((world, { who }, invitation) => {
    const expected = world.model.refusalOfManagement(who, invitation)
    return expectResult(call(world, who, `DELETE ${pathOf(invitation)}`), expected, () => {
      invitation.ended = 'revoked'
    })
  }),
  extend: toInvitation<StepParameters['extend']>((world, { who, minutes }, invitation) => {
    const { model } = world
    const answer = call(world, who, `PATCH ${pathOf(invitation)}`, { invite_expires_in_minutes: minutes })
    return expectResult(answer, model.refusalOfExtension(who, invitation), () => model.live(invitation, minutes))
  }),
  look: toInvitation<StepParameters['look']>(async (world, _, invitation) => {
    assert.equal(await findPageHeading(world, invitation), world.model.pageHeading(invitation))
  }),
  'accept elsewhere': toInvitation<StepParameters['look']>(async ({ chat, elsewhere }, _, { key }) => {
    const outcome = await accept(chat, key, { realm: elsewhere, email: 'z@x.com' })
    assert.equal(outcome, 'Invitation not found')
  }),
  accept: accepting(1),
  'accept twice at once': accepting(2),
  async wait({ chat, model }, { seconds }) {
    await chat.clock.advance(seconds)
    model.now = chat.clock.now()
    return true
  },
  async 'change role'(world, { of, role }) {
    const somebody = world.model.people[of] as Somebody
    if (!somebody.isActive) return false
    return expectResult(call(world, 'ada', `PATCH /users/${somebody.id}`, { role }), 'ok', () => {
      somebody.role = role
    })
  },
  async deactivate(world, { whom }) {
    const { id, isActive } = world.model.people[whom] as Somebody
    if (!isActive) return false
    return expectResult(call(world, 'ada', `DELETE /users/${id}`), 'ok', () => world.model.deactivate(whom))
  },
  async reactivate(world, { whom }) {
    const somebody = world.model.people[whom] as Somebody
    if (somebody.isActive) return false
    return expectResult(call(world, 'ada', `POST /users/${somebody.id}/reactivate`), 'ok', () => {
      somebody.isActive = true
    })
  },
  async allow({ chat, realm, model }, { permission, level }) {
    await chat.app.services.transaction((tx) => saveRealmSettings(tx, realm.id, { [permission]: level }))
    model.levels[permission] = level
    return true
  },
  async archive(world, step) {
    const channel = world.model.channels[step.channel] as Channel
    if (channel.isArchived) return false
    return expectResult(call(world, 'ada', `DELETE /streams/${channel.id}`), 'ok', () => {
      channel.isArchived = true
    })
  },
  async 'turn default'(world, step) {
    const channel = world.model.channels[step.channel] as Channel
    if (channel.isArchived) return false
    const route = `${channel.isDefault ? 'DELETE' : 'POST'} /default_streams`
    return expectResult(call(world, 'ada', route, { stream_id: channel.id }), 'ok', () => {
      channel.isDefault = !channel.isDefault
    })
  },
  enter: moving('enter'),
  leave: moving('leave'),
  async 'deactivate group'(world) {
    const { group } = world.model
    if (!group.isActive) return false
    return expectResult(call(world, 'ada', `POST /user_groups/${group.id}/deactivate`), 'ok', () => {
      group.isActive = false
    })
  },
  enrol(world, { email }) {
    const { model } = world
    const expected = model.addresses.has(email.toLowerCase()) ? 'Email is already in use.' : 'ok'
    const account = { email, full_name: 'Enrolled', password: 'correct horse battery' }
    return expectResult(call(world, 'ada', 'POST /users', account), expected, () => model.register(email, 'registered'))
  },
}

export const take = (world: World, step: Step): Promise<boolean> =>
  (actions[step.does] as (world: World, step: Step) => Promise<boolean>)(world, step)
