/* oxlint-disable no-await-in-loop -- signatures are few, and the first that fits ends it */
/** Signing and verifying webhooks as the Standard Webhooks specification requires, with Web Crypto alone. */

import { WebhookError } from "./errors.ts"

/** between the clocks of sender and receiver, s */
export const TOLERANCE_SECONDS = 300

/** The headers that make a webhook genuine. `at` is in s since 1970. */
export async function signWebhook(
  secret: string,
  webhookId: string,
  body: string,
  at: number = Date.now() / 1000,
): Promise<Record<string, string>> {
  const seconds = Math.floor(at)
  const bytes = await crypto.subtle.sign("HMAC", await keyOf(secret), signed(webhookId, String(seconds), body))
  return {
    "webhook-id": webhookId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${btoa(String.fromCharCode(...new Uint8Array(bytes)))}`,
  }
}

/** The event of a webhook that is genuine; `headers` have lower-case names. Rejects with a WebhookError. */
export async function verifyWebhook(
  secret: string,
  headers: Record<string, string | undefined>,
  body: string,
  at: number = Date.now() / 1000,
): Promise<Record<string, unknown>> {
  const id = headers["webhook-id"]
  const told = headers["webhook-timestamp"]
  const signatures = headers["webhook-signature"]
  if (!id || !told || !signatures || !/^\d+$/.test(told))
    throw new WebhookError("a webhook header is missing or malformed")
  if (Math.abs(at - Number(told)) > TOLERANCE_SECONDS)
    throw new WebhookError("the webhook is too old, or from the future")
  const key = await keyOf(secret)
  for (const one of signatures.split(" ")) {
    const given = one.startsWith("v1,") ? decoded(one.slice(3)) : undefined
    if (given && (await crypto.subtle.verify("HMAC", key, given, signed(id, told, body)))) return parsed(body)
  }
  throw new WebhookError("the webhook's signature is wrong")
}

function parsed(body: string): Record<string, unknown> {
  let event: unknown
  try {
    event = JSON.parse(body)
  } catch {
    throw new WebhookError("the webhook is not JSON")
  }
  if (typeof event !== "object" || event === null || Array.isArray(event))
    throw new WebhookError("the webhook is not a JSON object")
  return event as Record<string, unknown>
}

function signed(id: string, seconds: string, body: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${id}.${seconds}.${body}`)
}

function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = decoded(secret.replace(/^whsec_/, ""))
  if (!bytes) throw new WebhookError("the secret is not base64")
  if (bytes.length === 0) throw new WebhookError("the secret is empty")
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"])
}
