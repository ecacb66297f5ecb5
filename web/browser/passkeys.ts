// Passkeys of the browser. Options and responses are the JSON of WebAuthn, which browsers read and write themselves.

/** Returns whether the browser can make and use passkeys. */
export const hasPasskeys = (): boolean =>
  globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON !== undefined &&
  globalThis.PublicKeyCredential.parseRequestOptionsFromJSON !== undefined

/** Makes a passkey, and returns the response as JSON. Throws if the user cancels it. */
export async function makePasskey(options: unknown): Promise<string> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
  return toJson(await navigator.credentials.create({ publicKey }))
}

/** Asks for a passkey, and returns the response as JSON. Throws if the user cancels it. */
export async function askForPasskey(options: unknown): Promise<string> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
  return toJson(await navigator.credentials.get({ publicKey }))
}

function toJson(credential: Credential | null): string {
  return JSON.stringify((credential as PublicKeyCredential).toJSON())
}
