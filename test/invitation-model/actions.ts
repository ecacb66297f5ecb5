import assert from 'node:assert/strict'
import { saveRealmSettings } from '#realms/queries.ts'
import type { Person } from '../harness.ts'
import { accept } from '../joining.ts'
import type { Channel, Invitation, ModelUser } from './model.ts'
import type { Step, StepParameters } from './steps.ts'
import { addToModel, findPageHeading, membershipsOf, paramsOf, type World } from './world.ts'

/**
 * Performs the action in the server and in the model, and fails if the results differ. Returns false if there was
 * nothing to do.
 */
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

/** Requires the expected result, and runs the rest if it is a success. */
async function expectResult(actual: Promise<string>, expected: string, then: () => unknown): Promise<boolean> {
  assert.equal(await actual, expected)
  if (expected === 'ok') await then()
  return true
}

/** Wraps an action on one of the existing invitations. */
const toInvitation =
  <Known extends { which: number }>(
    action: (world: World, known: Known, invitation: Invitation) => Promise<unknown>,
  ): Action<Known> =>
  async (world, known) => {
    const { invitations } = world.model
    if (invitations.length === 0) return false
    await action(world, known, invitations[known.which % invitations.length] as Invitation)
    return true
  }

const acceptTimes = (times: number) =>
  toInvitation<StepParameters['accept']>(async (world, { email }, invitation) => {
    const { chat, realm, model } = world
    const memberships = model.memberships(invitation)
    const expected = Array.from({ length: times }, () => model.accept(invitation, email))

    const results = await Promise.all(expected.map(() => accept(chat, invitation.key, { realm, email })))

    assert.deepEqual(results.toSorted(), expected.toSorted())
    if (!expected.includes('in')) return
    const found = await membershipsOf(world, invitation.email ?? email)
    assert.deepEqual(found, { role: invitation.role, ...memberships })
  })

const joinOrLeave =
  (does: 'join' | 'leave'): Action<StepParameters['join']> =>
  async (world, { who }) => {
    const { model } = world
    const [secret, { id, isActive }] = [model.channels['secret'] as Channel, model.people[who] as ModelUser]
    if (secret.isArchived || !isActive) return false
    const [method, subscriptions] = does === 'join' ? ['POST', [{ name: 'secret' }]] : ['DELETE', ['secret']]
    const answer = call(world, 'ada', `${method} /users/me/subscriptions`, { subscriptions, principals: [id] })
    return expectResult(answer, 'ok', () => (does === 'join' ? secret.members.add(who) : secret.members.delete(who)))
  }

const actions: { [What in keyof StepParameters]: Action<StepParameters[What]> } = {
  invite(world, { who, email, grants }) {
    const expected = world.model.refusalOfGrants(who, grants, false, email)
    const params = { invitee_emails: email, ...paramsOf(world.model, grants) }
    const addInvitation = () => addToModel(world, who, grants, { email, maxUses: 1, domain: null })
    return expectResult(call(world, who, 'POST /invites', params), expected, addInvitation)
  },
  link(world, { who, grants, maxUses, domain }) {
    const expected = world.model.refusalOfGrants(who, grants, true, null)
    const limits = { max_uses: maxUses, allowed_domains: domain === null ? [] : [domain] }
    const params = { ...paramsOf(world.model, grants), ...limits }
    const addInvitation = () => addToModel(world, who, grants, { email: null, maxUses, domain })
    return expectResult(call(world, who, 'POST /invites/multiuse', params), expected, addInvitation)
  },
  resend: toInvitation<StepParameters['resend']>((world, { who }, invitation) => {
    const { model } = world
    const ofLink = model.refusalOfCaller(who) ?? 'No such invitation'
    const expected = invitation.email === null ? ofLink : model.refusalOfManagement(who, invitation)
    const answer = call(world, who, `POST /invites/${invitation.id}/resend`)
    return expectResult(answer, expected, () => model.restart(invitation, invitation.minutes))
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
    return expectResult(answer, model.refusalOfExtension(who, invitation), () => model.restart(invitation, minutes))
  }),
  look: toInvitation<StepParameters['look']>(async (world, _, invitation) => {
    assert.equal(await findPageHeading(world, invitation), world.model.pageHeading(invitation))
  }),
  'accept elsewhere': toInvitation<StepParameters['look']>(async ({ chat, elsewhere }, _, { key }) => {
    const result = await accept(chat, key, { realm: elsewhere, email: 'z@x.com' })
    assert.equal(result, 'Invitation not found')
  }),
  accept: acceptTimes(1),
  'accept twice at once': acceptTimes(2),
  async wait({ chat, model }, { seconds }) {
    await chat.clock.advance(seconds)
    model.now = chat.clock.now()
    return true
  },
  async 'change role'(world, { of, role }) {
    const user = world.model.people[of] as ModelUser
    if (!user.isActive) return false
    return expectResult(call(world, 'ada', `PATCH /users/${user.id}`, { role }), 'ok', () => {
      user.role = role
    })
  },
  async deactivate(world, { who }) {
    const { id, isActive } = world.model.people[who] as ModelUser
    if (!isActive) return false
    return expectResult(call(world, 'ada', `DELETE /users/${id}`), 'ok', () => world.model.deactivate(who))
  },
  async reactivate(world, { who }) {
    const user = world.model.people[who] as ModelUser
    if (user.isActive) return false
    return expectResult(call(world, 'ada', `POST /users/${user.id}/reactivate`), 'ok', () => {
      user.isActive = true
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
  async 'toggle default'(world, step) {
    const channel = world.model.channels[step.channel] as Channel
    if (channel.isArchived) return false
    const route = `${channel.isDefault ? 'DELETE' : 'POST'} /default_streams`
    return expectResult(call(world, 'ada', route, { stream_id: channel.id }), 'ok', () => {
      channel.isDefault = !channel.isDefault
    })
  },
  join: joinOrLeave('join'),
  leave: joinOrLeave('leave'),
  async 'deactivate group'(world) {
    const { group } = world.model
    if (!group.isActive) return false
    return expectResult(call(world, 'ada', `POST /user_groups/${group.id}/deactivate`), 'ok', () => {
      group.isActive = false
    })
  },
  'create account'(world, { email }) {
    const { model } = world
    const expected = model.addresses.has(email.toLowerCase()) ? 'Email is already in use.' : 'ok'
    const account = { email, full_name: 'Enrolled', password: 'correct horse battery' }
    return expectResult(call(world, 'ada', 'POST /users', account), expected, () => model.register(email, 'registered'))
  },
}

export const run = (world: World, step: Step): Promise<boolean> =>
  (actions[step.does] as (world: World, step: Step) => Promise<boolean>)(world, step)
