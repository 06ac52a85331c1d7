import { Router } from 'express';

/** Your backend's part: creates a token for the signed-in customer. The API key never reaches the browser. */
export const tokenRoute = (service: { baseUrl: string; applicationId: string; apiKey: string }): Router =>
  Router().post('/demo/token', async (_request, response) => {
    const answer = await fetch(`${service.baseUrl}/v1/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ application_id: service.applicationId }),
    });
    response.status(answer.status).json(await answer.json());
  });
