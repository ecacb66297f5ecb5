import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type AnswerOf, call } from '../api/call.ts'
import { queryClient } from '../store/query-client.ts'
import { t } from '../text/t.ts'

export type Mail = AnswerOf<'GET /mails'>['mails'][number]
export type Attempt = AnswerOf<'GET /mails/{mail_id}'>['attempts'][number]
export type MailState = Mail['state']

/** The interval at which emails are refreshed, in milliseconds. No event reports changes of emails. */
const PERIOD = 10_000

/** Returns the query for the organization's emails, newest first, in pages. */
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

/** The newest emails that could not be delivered. */
export const failedMails = queryOptions({
  queryKey: ['mails', 'failed'],
  queryFn: ({ signal }) => call('GET /mails', { state: 'failed', limit: 50 }, { signal }),
  refetchInterval: PERIOD,
  staleTime: 0,
})

/** Returns the link in the text of an invitation. */
export const invitationLinkIn = (text: string): string | undefined =>
  /https?:\/\/\S+\/accounts\/do_confirm\/\S+/.exec(text)?.[0]

/** Returns the query for an email with its content and all delivery attempts. */
export const mailQuery = (mailId: number) =>
  queryOptions({
    queryKey: ['mails', 'one', mailId],
    queryFn: ({ signal }) => call('GET /mails/{mail_id}', { mail_id: mailId }, { signal }),
    refetchInterval: PERIOD,
    staleTime: 0,
  })

/** Refreshes the emails and the invitations. Invitations show the status of their emails. */
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
  'sign-up': t('Sign-up'),
}

export const templateName = (template: string): string =>
  NAMES[template] ?? template.charAt(0).toUpperCase() + template.slice(1).replaceAll('-', ' ')
