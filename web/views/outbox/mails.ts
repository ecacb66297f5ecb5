import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { AnswerOf } from '../../api/types.ts'
import { queryClient } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'

export type Mail = AnswerOf<'GET /mails'>['mails'][number]
export type Attempt = AnswerOf<'GET /mails/{mail_id}'>['attempts'][number]
export type MailState = Mail['state']

/** How often what is shown of mails is asked for again, in milliseconds: no event tells of them. */
const PERIOD = 10_000

/** The mails of the organization, the newest first, a page at a time. */
export const mailList = (filter: { state?: MailState; recipient?: string }) =>
  infiniteQueryOptions({
    queryKey: ['mails', 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      call('GET /mails', { ...filter, limit: 50, ...(pageParam !== null && { before: pageParam }) }, { signal }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ mails, found_oldest }) => (found_oldest ? null : mails.at(-1)?.id),
    refetchInterval: PERIOD,
    staleTime: 0,
  })

/** One mail, as it was sent, with every attempt to send it. */
export const mailQuery = (mailId: number) =>
  queryOptions({
    queryKey: ['mails', 'one', mailId],
    queryFn: ({ signal }) => call('GET /mails/{mail_id}', { mail_id: mailId }, { signal }),
    refetchInterval: PERIOD,
    staleTime: 0,
  })

/** Asks again for what is shown of mails, and of invitations, which show how far theirs came. */
export async function refreshMails(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['mails'] })
  await queryClient.invalidateQueries({ queryKey: ['invitations'] })
}

const NAMES: Readonly<Record<string, string>> = {
  invitation: t('Invitation'),
  'invitation-reminder': t('Invitation reminder'),
  'confirm-email': t('Email address confirmation'),
  'email-changed': t('Email address change notice'),
  'password-reset': t('Password reset'),
}

/** What kind of letter it is, in words. */
export const templateName = (letter: string): string =>
  NAMES[letter] ?? letter.charAt(0).toUpperCase() + letter.slice(1).replaceAll('-', ' ')
