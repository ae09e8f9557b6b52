// The application: prints the turnover in cents.
import { readFileSync } from "node:fs";

const { orders } = JSON.parse(readFileSync("orders.json", "utf8"));
console.log(orders.reduce((sum, order) => sum + Math.round(Number(order.total) * 100), 0));
