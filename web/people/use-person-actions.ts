import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { runAll } from '../forms/run-all.tsx'
import { toLocation } from '../navigation/narrow-location.ts'
import { toAppError } from '../store/app-error.ts'
import { type Person, useOrganization } from '../store/organization.ts'
import { useIsMuted } from '../store/people.ts'
import { t } from '../text/t.ts'
import type { MenuAction } from '../ui/menu.tsx'
import { showToast } from '../ui/toasts.ts'
import { mayDeactivate, mayReactivate, rolesFor } from './accounts.ts'
import { linkToPerson, useMention } from './mentions.ts'

/** Reactivates accounts, and shows the errors of accounts that can't be reactivated. */
export async function reactivateAccounts(people: readonly Person[]): Promise<void> {
  const ended = people.filter(({ is_active }) => !is_active)
  const failures = await runAll(ended, ({ user_id }) => call('POST /users/{user_id}/reactivate', { user_id }))
  for (const { item, error } of failures)
    showToast(
      t('Couldn’t reactivate {name}. {message}', { name: item.full_name, message: toAppError(error).message }),
      { kind: 'error' },
    )
  const count = ended.length - failures.length
  if (count > 0)
    showToast(
      count === 1 && ended.length === 1
        ? t('{name} reactivated', { name: ended[0]?.full_name ?? '' })
        : t('{count, plural, one {# account} other {# accounts}} reactivated', { count }),
    )
}

/** An action of administrators that opens a dialog. */
export type Managing = 'manage' | 'role' | 'deactivate' | 'erase'

/** Returns the less frequent actions on another user, with administrator actions at the end. */
export function usePersonActions(
  person: Person,
  { onManage, onLeave = () => {} }: { onManage: (act: Managing) => void; onLeave?: () => void },
): MenuAction[] {
  const organization = useOrganization()
  const navigate = useNavigate()
  const { user_id, full_name, is_active } = person
  const isOwn = user_id === organization.user_id
  const isMuted = useIsMuted(user_id)

  const mention = useMention(person)

  async function copy(text: string, done: string) {
    try {
      await navigator.clipboard.writeText(text)
      showToast(done)
    } catch {
      showToast(t('Your browser blocked copying. Select the text and copy it yourself.'), { kind: 'error' })
    }
  }

  return [
    {
      label: t('View messages sent'),
      run: () => {
        onLeave()
        void navigate(toLocation({ kind: 'search', query: `from:${user_id}` }))
      },
    },
    {
      label: t('Copy link to profile'),
      run: () => void copy(linkToPerson(person, organization.realm_url), t('Link copied')),
    },
    is_active && { label: t('Copy mention'), run: () => void copy(mention, t('Mention copied')) },
    !isOwn &&
      (is_active || isMuted) && {
        label: isMuted ? t('Unmute user') : t('Mute user'),
        run: () => void mute(person, !isMuted),
      },
    organization.is_admin && is_active && !person.is_bot && { label: t('Manage…'), run: () => onManage('manage') },
    rolesFor(organization, [person]).length > 0 && { label: t('Change role…'), run: () => onManage('role') },
    mayDeactivate(organization, person) && {
      label: t('Deactivate {name}…', { name: full_name }),
      run: () => onManage('deactivate'),
      isDanger: true,
    },
    mayReactivate(organization, person) && {
      label: t('Reactivate {name}', { name: full_name }),
      run: () => void reactivateAccounts([person]),
    },
    organization.is_owner &&
      !isOwn &&
      !person.is_bot && { label: t('Erase data…'), run: () => onManage('erase'), isDanger: true },
  ].filter((action) => action !== false)
}

/** Mutes or unmutes a user, without notifying anyone; a toast offers to undo it. */
async function mute(person: Person, isMuted: boolean, isUndo = false): Promise<void> {
  const { user_id, full_name } = person
  try {
    await call(
      isMuted ? 'POST /users/me/muted_users/{muted_user_id}' : 'DELETE /users/me/muted_users/{muted_user_id}',
      { muted_user_id: user_id },
    )
    if (isUndo) return
    showToast(
      isMuted
        ? t('You muted {name}. They won’t be notified.', { name: full_name })
        : t('You unmuted {name}', { name: full_name }),
      { undo: () => void mute(person, !isMuted, true) },
    )
  } catch (error) {
    showToast(toAppError(error as Error).message, { kind: 'error' })
  }
}
