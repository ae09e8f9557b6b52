// The application: prints the turnover in cents.
import { readFileSync } from "node:fs";

const { orders } = JSON.parse(readFileSync("orders.json", "utf8"));
const cents = orders.reduce((sum, order) => sum + Math.round(Number(order.total) * 100), 0);
process.stdout.write(`${cents}\n`);
