import type { App } from '../app.ts'

/** Resolves when all due mail has been sent. */
export async function settleMail({ missedMailWorker, mailWorker }: App): Promise<void> {
  await missedMailWorker.settled()
  await mailWorker.settled()
}

/** Resolves when all due background work has been done. */
export async function settleJobs(app: App): Promise<void> {
  await app.scheduledMessageWorker.settled()
  await app.webhookWorker.settled()
  await app.pushWorker.settled()
  await settleMail(app)
}
