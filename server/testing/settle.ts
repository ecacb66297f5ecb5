import type { App } from '#app.ts'

/** Resolves when all due emails have been sent. */
export async function settleMail({ jobs }: App): Promise<void> {
  await jobs.missedMail.settled()
  await jobs.mail.settled()
}

/** Resolves when all due background work has been done. */
export async function settleJobs(app: App): Promise<void> {
  await app.jobs.scheduledMessages.settled()
  await app.jobs.statuses.settled()
  await app.jobs.hiddenPresences.settled()
  await app.jobs.webhooks.settled()
  await app.jobs.push.settled()
  await app.jobs.linkPreviews.settled()
  await settleMail(app)
}
