import type { Channel } from '../../store/organization.ts'
import { t } from '../../text/t.ts'

/** Who may find a channel, and read it. */
export type Privacy = 'web' | 'public' | 'private-shared' | 'private-protected'

export const PRIVACIES = {
  web: { label: t('On the web'), hint: t('Anybody in the world can read it; members can join.') },
  public: { label: t('Public'), hint: t('All members can find it, join it and read everything that was said.') },
  'private-shared': {
    label: t('Private, with its history'),
    hint: t('Only those who are added; they read what was said before they came, too.'),
  },
  'private-protected': {
    label: t('Private, history hidden'),
    hint: t('Only those who are added; they read what is said from then on.'),
  },
} as const satisfies Readonly<Record<Privacy, { label: string; hint: string }>>

export function privacyOf(
  channel: Pick<Channel, 'invite_only' | 'is_web_public' | 'history_public_to_subscribers'>,
): Privacy {
  if (channel.is_web_public) return 'web'
  if (!channel.invite_only) return 'public'
  return channel.history_public_to_subscribers ? 'private-shared' : 'private-protected'
}

/** Those that one may choose, and the one that is. */
export const availablePrivacies = (
  may: { public: boolean; private: boolean },
  present: Privacy | null = null,
): Privacy[] => {
  const mayPrivate = may.private || present?.startsWith('private')
  const offered: Privacy[] = [
    ...(may.public ? (['public'] as const) : []),
    ...(mayPrivate ? (['private-shared', 'private-protected'] as const) : []),
  ]
  return present === null || offered.includes(present) ? offered : [present, ...offered]
}

/** As the API is told of it when a channel is made. */
export const toNewPrivacy = (privacy: Privacy) => ({
  invite_only: privacy.startsWith('private'),
  history_public_to_subscribers: privacy !== 'private-protected',
})

/** As the API is told of it when a channel changes. */
export const toChangedPrivacy = (privacy: Privacy) => ({
  is_private: privacy.startsWith('private'),
  is_web_public: privacy === 'web',
  history_public_to_subscribers: privacy !== 'private-protected',
})
