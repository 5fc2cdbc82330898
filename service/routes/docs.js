// Shows the interface description. Swagger UI 4, which pip brings, refuses OpenAPI 3.1 and draws what we use of it when
// it is called 3.0: a `const` or `null` is then shown as it stands.
const answer = await fetch("/v1/openapi.json")
const description = await answer.json()
window.SwaggerUIBundle({
  spec: { ...description, openapi: "3.0.3" },
  dom_id: "#description",
  deepLinking: true,
  validatorUrl: null,
})
