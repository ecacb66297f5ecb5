import { Role } from '#rules/role.ts'
import { call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import { currentOrganization } from '../store/organization.ts'
import { queryClient } from '../store/query-client.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/toasts.ts'

const DAY = 86_400

/** The lifetime of a new link, in minutes. */
const LIFETIME = 10 * 24 * 60

/**
 * Copies a link with which anyone can join as a member. It is one of the user's own links if one has no limits and is
 * valid for another day; otherwise, it is a new link.
 */
export async function copyInvitationLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText((await findOwnLink()) ?? (await createLink()))
    showToast(t('Invitation link copied. Anyone with the link can join as a member.'))
  } catch (error) {
    showToast(t('Couldn’t copy the link. {message}', { message: toAppError(error).message }), { kind: 'error' })
  }
}

async function findOwnLink(): Promise<string | undefined> {
  const { invites } = await call('GET /invites')
  const soon = Date.now() / 1000 + DAY
  const link = invites.find(
    ({ is_multiuse, invited_as, invited_by_user_id, expiry_date, max_uses, allowed_domains }) =>
      is_multiuse &&
      invited_as === Role.member &&
      // Links without a limit have neither field.
      (max_uses ?? null) === null &&
      (allowed_domains ?? []).length === 0 &&
      invited_by_user_id === currentOrganization()?.user_id &&
      (expiry_date === null || expiry_date > soon),
  )
  return link?.link_url
}

async function createLink(): Promise<string> {
  const { invite_link } = await call('POST /invites/multiuse', {
    invite_as: Role.member,
    stream_ids: [],
    include_realm_default_subscriptions: true,
    invite_expires_in_minutes: LIFETIME,
  })
  await queryClient.invalidateQueries({ queryKey: ['invitations'] })
  return invite_link
}
