import type { Channel } from '../../store/organization.ts'
import { t } from '../../text/t.ts'

/** The privacy of a channel: who can find and read it. */
export type Privacy = 'web' | 'public' | 'private-shared' | 'private-protected'

export const PRIVACIES = {
  web: {
    label: t('Web-public'),
    hint: t('Anyone on the internet can read it, without an account. Members can find it and join it.'),
  },
  public: { label: t('Public'), hint: t('Members can find it, join it and read all its messages.') },
  'private-shared': {
    label: t('Private, shared history'),
    hint: t('Only people who are added can read it. They can see earlier messages, too.'),
  },
  'private-protected': {
    label: t('Private, protected history'),
    hint: t('Only people who are added can read it. They only see messages sent after they joined.'),
  },
} as const satisfies Readonly<Record<Privacy, { label: string; hint: string }>>

export function privacyOf(
  channel: Pick<Channel, 'invite_only' | 'is_web_public' | 'history_public_to_subscribers'>,
): Privacy {
  if (channel.is_web_public) return 'web'
  if (!channel.invite_only) return 'public'
  return channel.history_public_to_subscribers ? 'private-shared' : 'private-protected'
}

/** Returns the kinds of privacy that the user may choose, including the current one. */
export const availablePrivacies = (
  may: { web: boolean; public: boolean; private: boolean },
  present: Privacy | null = null,
): Privacy[] => {
  const mayPrivate = may.private || present?.startsWith('private')
  const offered: Privacy[] = [
    ...(may.public ? (['public'] as const) : []),
    ...(may.web ? (['web'] as const) : []),
    ...(mayPrivate ? (['private-shared', 'private-protected'] as const) : []),
  ]
  return present === null || offered.includes(present) ? offered : [present, ...offered]
}

/** Returns the API parameters that create a channel with this privacy. */
export const toNewPrivacy = (privacy: Privacy) => ({
  invite_only: privacy.startsWith('private'),
  is_web_public: privacy === 'web',
  history_public_to_subscribers: privacy !== 'private-protected',
})

/** Returns the API parameters that change a channel to this privacy. */
export const toChangedPrivacy = (privacy: Privacy) => ({
  is_private: privacy.startsWith('private'),
  is_web_public: privacy === 'web',
  history_public_to_subscribers: privacy !== 'private-protected',
})
