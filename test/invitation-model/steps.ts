import fc from 'fast-check'
import type { Level, ModelGrants, Permission } from './model.ts'

/** Whoever does a thing, by name; ada owns the organization throughout. */
export const NAMES = ['ada', 'ann', 'ben', 'cleo'] as const

type Choice = { who: string; which: number }
type Acceptance = { which: number; email: string }

/** What is done, and what must be known to do it; `which` picks one of the invitations that were made, old and new. */
export type StepParameters = {
  invite: { who: string; email: string; offer: ModelGrants }
  link: { who: string; offer: ModelGrants; maxUses: number | null; domain: string | null }
  resend: Choice
  revoke: Choice
  extend: Choice & { minutes: number | null }
  look: { which: number }
  'accept elsewhere': { which: number }
  accept: Acceptance
  'accept twice at once': Acceptance
  wait: { seconds: number }
  'change role': { of: string; role: number }
  deactivate: { whom: string }
  reactivate: { whom: string }
  allow: { permission: Permission; level: Level }
  archive: { channel: string }
  'turn default': { channel: string }
  enter: { who: string }
  leave: { who: string }
  'deactivate group': object
  enrol: { email: string }
}

export type Step = { [What in keyof StepParameters]: { does: What } & StepParameters[What] }[keyof StepParameters]

const anybody = fc.constantFrom(...NAMES)
const others = fc.constantFrom('ann', 'ben', 'cleo')
const which = fc.nat()
const email = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'A', 'B'), fc.constantFrom('x.com', 'y.com'))
  .map((parts) => parts.join('@'))
const minutes = fc.constantFrom(1, 10, 60, 14_400, 20_000, null)
const channel = fc.constantFrom('open', 'usual', 'secret')
const role = fc.oneof(
  { weight: 3, arbitrary: fc.constant(400) },
  { weight: 2, arbitrary: fc.constantFrom(100, 200, 300, 600) },
)
const offer: fc.Arbitrary<ModelGrants> = fc.record({
  role,
  channels: fc.uniqueArray(channel, { maxLength: 3 }),
  hasGroup: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
  hasDefaults: fc.boolean(),
  minutes,
})

const does = <const What extends string>(what: What) => fc.constant(what)

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ does: does('invite'), who: anybody, email, offer }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: does('link'),
      who: anybody,
      offer,
      maxUses: fc.constantFrom(null, 1, 2),
      domain: fc.constantFrom(null, null, 'x.com'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: does('resend'), who: anybody, which }) },
  { weight: 2, arbitrary: fc.record({ does: does('revoke'), who: anybody, which }) },
  { weight: 3, arbitrary: fc.record({ does: does('extend'), who: anybody, which, minutes }) },
  { weight: 4, arbitrary: fc.record({ does: does('look'), which }) },
  { weight: 1, arbitrary: fc.record({ does: does('accept elsewhere'), which }) },
  { weight: 8, arbitrary: fc.record({ does: does('accept'), which, email }) },
  { weight: 4, arbitrary: fc.record({ does: does('accept twice at once'), which, email }) },
  { weight: 4, arbitrary: fc.record({ does: does('wait'), seconds: fc.constantFrom(1, 60, 600, 3600, 86_400) }) },
  { weight: 2, arbitrary: fc.record({ does: does('change role'), of: others, role }) },
  { weight: 1, arbitrary: fc.record({ does: does('deactivate'), whom: others }) },
  { weight: 2, arbitrary: fc.record({ does: does('reactivate'), whom: others }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: does('allow'),
      permission: fc.constantFrom(
        'can_invite_users_group',
        'create_multiuse_invite_group',
        'can_add_subscribers_group',
      ) as fc.Arbitrary<Permission>,
      level: fc.constantFrom(
        'role:members',
        'role:members',
        'role:administrators',
        'role:nobody',
      ) as fc.Arbitrary<Level>,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: does('turn default'), channel: fc.constantFrom('open', 'usual') }) },
  { weight: 1, arbitrary: fc.record({ does: does('enter'), who: others }) },
  { weight: 1, arbitrary: fc.record({ does: does('leave'), who: others }) },
  { weight: 1, arbitrary: fc.record({ does: does('enrol'), email }) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: fc.record({ does: does('archive'), channel }) },
      { weight: 1, arbitrary: fc.record({ does: does('deactivate group') }) },
    ),
  },
)
