import type { Db } from '../../platform/storage/storage.ts'
import type { Mail } from './mail.ts'

/** What a mail says. */
export type RenderedEmail = {
  /** One line; line breaks in it become spaces. */
  subject: string
  text: string
  html: string
  /** The organization it comes from: its name and host make the List-Id header. */
  list?: { name: string; host: string }
  /** Where the recipient says that they want no more of these, for the List-Unsubscribe header: see `unsubscribePath`. */
  unsubscribe?: string
}

export type TemplateContext = { db: Db; mail: Mail; now: number }

/** Fills a letter in from what the outbox holds; null when it is no longer to be sent, and the mail is cancelled. */
export type EmailTemplate = (
  data: unknown,
  context: TemplateContext,
) => Promise<RenderedEmail | null> | RenderedEmail | null

/** The writers of all letters, by the name that `queueMail` takes. */
export type EmailTemplates = Readonly<Record<string, EmailTemplate>>
