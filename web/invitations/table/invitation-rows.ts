import type { AnswerOf } from '../../api/call.ts'
import { t } from '../../text/t.ts'

type Pending = AnswerOf<'GET /invites'>['invites'][number]
type Past = AnswerOf<'GET /invites/ended'>['invites'][number]
export type Delivery = AnswerOf<'GET /invites/deliveries'>['deliveries'][number]

/** A row of the table: an invitation by email or link, pending or past. */
export type InvitationEntry = {
  readonly id: number
  readonly kind: 'email' | 'link'
  /** The email address, or the label of a link. */
  readonly label: string
  readonly state: 'pending' | Past['state']
  readonly role: number
  readonly inviterId: number
  readonly inviter: string
  readonly sentAt: number
  readonly expiresAt: number | null
  readonly uses: number
  readonly maxUses: number | null
  readonly domains: readonly string[]
  /** The URL of an active link; null for other invitations. */
  readonly url: string | null
  /** The delivery of a pending invitation by email; null for other invitations. */
  readonly delivery: Delivery | null
}

export type InvitationFilter = { whose: 'all' | 'mine'; state: StateFilter; text: string }

export type StateFilter = 'any' | 'pending' | 'failed' | 'expired' | 'used' | 'withdrawn'

type Invitations = {
  pending: readonly Pending[]
  past: readonly Past[]
  deliveries: readonly Delivery[]
  nameOf: (userId: number) => string
}

/** Returns the rows: pending invitations, newest first, then past invitations. */
export function toInvitationRows({ pending, past, deliveries, nameOf }: Invitations): InvitationEntry[] {
  const deliveryOf = new Map(deliveries.map((delivery) => [delivery.invite_id, delivery]))
  const row = (invite: Pending | Past, state: InvitationEntry['state']): InvitationEntry => ({
    id: invite.id,
    kind: invite.is_multiuse ? 'link' : 'email',
    label: invite.email ?? t('Invitation link'),
    state,
    role: invite.invited_as,
    inviterId: invite.invited_by_user_id,
    inviter: nameOf(invite.invited_by_user_id),
    sentAt: invite.invited,
    expiresAt: invite.expiry_date,
    uses: invite.uses ?? (state === 'accepted' ? 1 : 0),
    maxUses: invite.is_multiuse ? (invite.max_uses ?? null) : 1,
    domains: invite.allowed_domains ?? [],
    url: 'link_url' in invite ? (invite.link_url ?? null) : null,
    delivery: deliveryOf.get(invite.id) ?? null,
  })
  return [
    ...pending
      .map((invite) => row(invite, 'pending'))
      .sort((one, other) => other.sentAt - one.sentAt || other.id - one.id),
    ...past.map((invite) => row(invite, invite.state)),
  ]
}

export function filterInvitations(
  rows: readonly InvitationEntry[],
  { whose, state, text }: InvitationFilter,
  ownId: number,
): InvitationEntry[] {
  const query = text.trim().toLowerCase()
  return rows.filter(
    (row) =>
      (whose === 'all' || row.inviterId === ownId) &&
      isInState(row, state) &&
      (query === '' || `${row.label} ${row.inviter}`.toLowerCase().includes(query)),
  )
}

function isInState({ state, delivery }: InvitationEntry, filter: StateFilter): boolean {
  if (filter === 'any') return true
  if (filter === 'failed') return delivery?.state === 'failed'
  if (filter === 'used') return state === 'accepted' || state === 'registered' || state === 'superseded'
  if (filter === 'withdrawn') return state === 'revoked' || state === 'inviter-deactivated'
  return state === filter
}

const isoTime = (at: number | null) => (at === null ? '' : new Date(at * 1000).toISOString())

/** Returns CSV in which no cell can be read as a formula. */
export function toCsv(rows: readonly InvitationEntry[], roleName: (role: number) => string): string {
  const lines = rows.map((row) => [
    row.label,
    row.kind,
    row.state,
    roleName(row.role),
    row.inviter,
    isoTime(row.sentAt),
    isoTime(row.expiresAt),
    row.delivery?.state ?? '',
    String(row.uses),
    row.maxUses === null ? '' : String(row.maxUses),
  ])
  const head = ['recipient', 'type', 'status', 'role', 'invited by', 'sent', 'expires', 'email', 'uses', 'maximum uses']
  return [head, ...lines].map((cells) => cells.map(toCell).join(',')).join('\r\n')
}

const toCell = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
