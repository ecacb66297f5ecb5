import type { App } from '../app.ts'

/** Resolves when all mail that is due has been sent. */
export async function settleMail({ missedMailer, postman }: App): Promise<void> {
  await missedMailer.settled()
  await postman.settled()
}

/** Resolves when all that the server does by itself, and that is due, has been done. */
export async function settle(app: App): Promise<void> {
  await app.scheduler.settled()
  await app.courier.settled()
  await app.pushCourier.settled()
  await settleMail(app)
}
